// A small box beside the pointer. Its text is set as text: names come from the user's data.
export class Tip {
  constructor(frame) {
    this.frame = frame;
    this.box = document.createElement('div');
    this.box.className = 'tip';
    this.box.setAttribute('role', 'status');
    this.box.hidden = true;
    frame.append(this.box);
  }

  hide() {
    this.box.hidden = true;
  }

  // `rows`: pairs of label and value; `code`: a kernel, shown as such.
  show(left, top, title, rows, code) {
    const heading = document.createElement('b');
    heading.textContent = title;
    const list = document.createElement('dl');
    for (const [label, value] of rows) {
      const dt = document.createElement('dt');
      dt.textContent = label;
      const dd = document.createElement('dd');
      dd.textContent = value;
      list.append(dt, dd);
    }
    this.box.replaceChildren(heading, list);
    if (code) {
      const element = document.createElement('code');
      element.textContent = code;
      this.box.append(element);
    }
    this.box.hidden = false;
    const width = this.frame.clientWidth;
    const isRight = left > width / 2;
    const room = isRight ? left - 14 - this.box.offsetWidth : left + 14;
    this.box.style.left = `${Math.max(0, Math.min(room, width - this.box.offsetWidth))}px`;
    this.box.style.top = `${Math.max(0, top - this.box.offsetHeight - 12)}px`;
  }
}
