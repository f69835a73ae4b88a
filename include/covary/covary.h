#pragma once

// Everything that Covary offers to C++ programs.
#include <covary/calendar.h>
#include <covary/dataset.h>
#include <covary/distance.h>
#include <covary/effects.h>
#include <covary/ensemble.h>
#include <covary/error.h>
#include <covary/evidence.h>
#include <covary/evidence_fields.h>
#include <covary/explain.h>
#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/holdout.h>
#include <covary/kernels.h>
#include <covary/message_text.h>
#include <covary/model.h>
#include <covary/model_file.h>
#include <covary/random.h>
#include <covary/report.h>
#include <covary/search.h>
#include <covary/settings.h>
#include <covary/stepped_search.h>
#include <covary/table.h>
#include <covary/target_transform.h>
#include <covary/time_step.h>
#include <covary/version.h>
