// Runs in a page. Puts secrets in every place that HTML has for text, in every kind of part that a page can mark.

/** Returns HTML with `word` in every place. */
const placesOf = (word) =>
  `
  <p title="${word}-title" data-x="${word}-data" aria-label="${word}-label" style="--x: '${word}-property'; background: url(/${word}-background)">${word}-text</p>
  <p style='counter-reset: n 4242'><b>${word}-bold</b> <abbr title="${word}-abbr">a</abbr> <data value="${word}-data-value">1</data></p>
  <style>.quoted::before { content: "${word}-content;}"; } /* ${word}-comment */ .pictured { background: url(/${word}-url) } .named { --y: '${word}-token' }</style>
  <a href="/${word}-href" download="${word}-download" ping="/${word}-ping">link</a> <a href="mailto:${word}-mail">mail</a>
  <img src="/${word}-src" srcset="/${word}-srcset 2x" alt="${word}-alt" longdesc="/${word}-longdesc" width="10" height="10">
  <picture><source srcset="/${word}-source"><img alt=""></picture>
  <map name="m"><area href="/${word}-area" alt="${word}-area-alt"></map>
  <video poster="/${word}-poster" src="/${word}-video"><track label="${word}-track" src="/${word}-track-src"></video>
  <audio src="/${word}-audio"></audio> <object type="image/png" data="/${word}-object" title="${word}-object-title">${word}-object-text</object>
  <embed type="image/png" src="/${word}-embed"> <iframe src="/account?${word}-frame" name="${word}-frame-name" title="${word}-frame-title"></iframe>
  <iframe srcdoc="<p>${word}-srcdoc</p><input value='${word}-srcdoc-input'>"></iframe>
  <form action="/${word}-action" name="${word}-form">
    <input value="${word}-input" placeholder="${word}-placeholder" name="${word}-name" list="list" pattern="${word}-pattern">
    <input class="cleared" value="${word}-cleared"> <input type="hidden" value="${word}-hidden"> <input type="password" value="${word}-password">
    <input type="email" value="${word}-email"> <input type="number" value="${word}-number"> <input type="new" value="${word}-unknown-type">
    <input type="checkbox" value="${word}-checkbox" checked> <input type="radio" name="r" value="${word}-radio" checked>
    <input type="submit" value="${word}-submit"> <input type="button" value="${word}-button"> <input type="reset" value="${word}-reset">
    <input type="image" alt="${word}-image-alt" src="/${word}-image-src"> <button value="${word}-button-value" formaction="/${word}-formaction">${word}-button-text</button>
    <textarea placeholder="${word}-area-placeholder">${word}-textarea</textarea> <textarea class="cleared">${word}-textarea-cleared</textarea>
    <select><optgroup label="${word}-group"><option value="${word}-option-value" label="${word}-option-label" selected>${word}-option</option></optgroup></select>
    <datalist id="list"><option value="${word}-list-value">${word}-list</option></datalist>
    <fieldset><legend>${word}-legend</legend><label>${word}-for</label><output>${word}-output</output></fieldset>
    <meter title="${word}-meter" value="0.5">${word}-meter-text</meter> <progress value="0.5">${word}-progress</progress>
  </form>
  <div contenteditable>${word}-editable <i title="${word}-editable-title">x</i></div>
  <details open><summary>${word}-summary</summary>${word}-details</details> <dialog open aria-description="${word}-dialog-label">${word}-dialog</dialog>
  <div popover="manual">${word}-popover</div> <template><p>${word}-template</p></template> <noscript>${word}-noscript</noscript>
  <table summary="${word}-table"><caption>${word}-caption</caption><tr><th abbr="${word}-th">${word}-cell</th></tr></table>
  <blockquote cite="/${word}-cite">${word}-quote</blockquote> <del datetime="${word}-datetime">d</del> <ruby>r<rt>${word}-ruby</rt></ruby>
  <canvas aria-label="${word}-canvas-label">${word}-canvas</canvas>
  <svg aria-label="${word}-svg-label"><title>${word}-svg-title</title><desc>${word}-svg-desc</desc><text x="1" y="9">${word}-svg-text</text>
    <a href="/${word}-svg-link" xlink:title="${word}-xlink"><circle r="1"/></a> <image href="/${word}-svg-image"/> <use href="/${word}-use"/>
    <foreignObject><p>${word}-foreign</p></foreignObject></svg>
  <math alttext="${word}-math"><mtext>${word}-mtext</mtext></math> <x-late data-x="${word}-late-data">${word}-slotted</x-late>
  <span itemprop="n" content="${word}-itemprop">i</span> <!-- ${word}-html-comment -->`.replaceAll(
    '#secret',
    '#part',
  );

const element = (name, marks = {}) => {
  const made = document.createElement(name);
  for (const [mark, value] of Object.entries(marks)) made.setAttribute(mark, value);
  return made;
};
const add = (parent, child) => parent.appendChild(child);
const open = (host) => host.shadowRoot ?? host.attachShadow({ mode: 'open' });
const isLoaded = (frame) => frame.src === '' || frame.dataset.loaded === 'yes';
const bodyOf = async (frame) => {
  while (!isLoaded(frame)) await new Promise((resolve) => setTimeout(resolve, 10));
  return frame.contentDocument.body;
};
const loading = (frame) => {
  frame.src = '/account';
  frame.addEventListener('load', () => (frame.dataset.loaded = 'yes'));
  return frame;
};

/** Parts of a page. Each adds itself to `parent` with the marks, and returns the element for its content. */
const parts = {
  light: (parent, marks) => add(parent, element('section', marks)),
  below: (parent, marks) => add(add(parent, element('div', marks)), element('section')),
  shadow: (parent, marks) => open(add(parent, element('x-host', marks))),
  'below shadow': (parent, marks) => open(add(add(parent, element('div', marks)), element('x-host'))),
  'shadow in shadow': (parent, marks) =>
    open(add(open(add(parent, element('x-host', marks))), element('x-host'))),
  slot(parent, marks) {
    const host = add(parent, element('x-host'));
    add(add(open(host), element('div', marks)), element('slot'));
    return add(host, element('section'));
  },
  frame: (parent, marks) => bodyOf(add(parent, element('iframe', marks))),
  'loaded frame': (parent, marks) => bodyOf(add(parent, loading(element('iframe', marks)))),
  'below frame': (parent, marks) => bodyOf(add(add(parent, element('div', marks)), element('iframe'))),
  'frame in shadow': (parent, marks) =>
    bodyOf(add(open(add(parent, element('x-host', marks))), element('iframe'))),
  'shadow in frame': async (parent, marks) =>
    open(add(await bodyOf(add(parent, element('iframe', marks))), element('x-host'))),
};

/** Adds parts (default: all) with these marks. Returns their roots. */
export async function build(marks, word, names = Object.keys(parts)) {
  const roots = [];
  for (const name of names) {
    const root = await parts[name](document.body, marks);
    // Components also add the root before its content.
    root.innerHTML = placesOf(`${word}-${name.replaceAll(' ', '_')}`);
    for (const field of root.querySelectorAll('.cleared')) field.value = '';
    roots.push(root);
  }
  return roots;
}

/** Changes each text, attribute and value of the roots in place. */
export function change(roots, before, after) {
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.nodeType === 3) {
        if (node.data.includes(before)) node.data = node.data.replaceAll(before, after);
        continue;
      }
      for (const { name, value } of [...node.attributes])
        if (value.includes(before)) node.setAttribute(name, value.replaceAll(before, after));
      if (node.localName === 'x-host' || node.localName === 'x-late') node.title = `${after}-host-title`;
    }
  }
}

/** Types into each field, and changes styles by script. */
export function type(roots, word) {
  for (const root of roots) {
    for (const field of root.querySelectorAll(
      'input:not([type=submit],[type=button],[type=reset],[type=image]),textarea',
    )) {
      field.value = `${word}-typed`;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    for (const editable of root.querySelectorAll('[contenteditable]')) editable.append(`${word}-written`);
    const { style } = root.querySelector('p');
    style.setProperty('--z', `'${word}-set'`);
    style.backgroundImage = `url(/${word}-set-url)`;
    const { sheet } = root.querySelector('style');
    sheet.insertRule(`.inserted::after { content: "${word}-inserted"; }`);
    sheet.cssRules[1].style.setProperty('content', `"${word}-declared"`);
    if (root.nodeType !== 11) continue;
    const adopted = new root.ownerDocument.defaultView.CSSStyleSheet();
    adopted.replaceSync(`.a::before { content: "${word}-adopted"; }`);
    root.adoptedStyleSheets = [adopted];
    adopted.replaceSync(`.a::before { content: "${word}-readopted"; }`);
    adopted.insertRule(`.a::after { content: "${word}-adopted-rule"; }`);
  }
}

/** Attaches shadow roots to the components within the roots, like a script that loads late. */
export function upgrade(roots, word) {
  for (const root of roots)
    for (const late of root.querySelectorAll('x-late')) {
      const shadow = open(late);
      shadow.innerHTML = `${word}-late-text<p title="${word}-late-title">${word}-late</p><slot></slot>`;
      shadow.append(`${word}-late-added`);
    }
}

/** Points at, clicks and scrolls every element. */
export function touch(roots) {
  for (const root of roots)
    for (const node of root.querySelectorAll('p,a,button')) {
      for (const name of ['mousemove', 'mousedown', 'mouseup', 'click'])
        node.dispatchEvent(new MouseEvent(name, { bubbles: true, composed: true, cancelable: true }));
    }
}

export const settle = () => new Promise((resolve) => setTimeout(resolve, 600));
