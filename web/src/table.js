// Click a heading to sort by it, again to turn the order around. Cells without a value stay last.
function keyOf(row, column, isNumber) {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  if (!isNumber) return text.toLowerCase();
  return text === '' || Number.isNaN(Number(text)) ? null : Number(text);
}

function sortBy(table, column, isNumber, direction) {
  const rows = [...table.tBodies[0].rows].map((row) => ({row, key: keyOf(row, column, isNumber)}));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return direction * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  });
  table.tBodies[0].append(...rows.map(({row}) => row));
}

export function makeTablesSortable() {
  for (const table of document.querySelectorAll('table.sortable')) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const isNumber = heading.dataset.sort === 'number';
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener('click', () => {
        const now = heading.getAttribute('aria-sort');
        const next = now === 'ascending' ? 'descending' : 'ascending';
        headings.forEach((other) => other.removeAttribute('aria-sort'));
        heading.setAttribute('aria-sort', next);
        sortBy(table, column, isNumber, next === 'ascending' ? 1 : -1);
      });
    });
  }
}
