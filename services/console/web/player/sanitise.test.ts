import { describe, expect, it } from 'vitest';
import { BOX } from './boxes.ts';
import { isObject, noneUnseen } from './messages.ts';
import { createSanitiser } from './sanitise.ts';

type Node = Record<string, unknown>;

const EVIL = 'https://evil.example/x';
const texts = { frames: 'Frame', media: 'Video', canvases: 'Drawing' };
let id = 100;
const element = (tagName: string, attributes: object = {}, childNodes: Node[] = [], more: object = {}) => ({
  ...{ type: 2, id: ++id, tagName, attributes, childNodes },
  ...more,
});
const text = (textContent: string) => ({ type: 3, id: ++id, textContent });

function sanitiserOf(images = false) {
  const unseen = noneUnseen();
  const sanitiser = createSanitiser({ images, unseen, texts });
  const build = (...children: Node[]) =>
    sanitiser.event({
      type: 2,
      timestamp: 1,
      data: {
        node: { type: 0, id: 1, childNodes: [element('html', {}, [element('body', {}, children)])] },
        initialOffset: { left: 0, top: 0 },
      },
    });
  return { unseen, sanitiser, build };
}

/** Returns the elements in the body of a page that consists of the given ones, after they are made safe. */
function shown(children: Node[], images = false): Node[] {
  const { build } = sanitiserOf(images);
  const found: Node[] = [];
  const visit = (node: unknown) => {
    if (!isObject(node)) return;
    if (node['type'] === 2) found.push(node);
    for (const child of Object(node['childNodes'])) visit(child);
  };
  visit(Object(build(...children)).data.node);
  return found.slice(2);
}
const one = (node: Node, images = false) => shown([node], images)[0];
const attributesOf = (tag: string, attributes: object, images = false) =>
  one(element(tag, attributes), images)?.['attributes'];

describe('the sanitiser of recorded pages', () => {
  it.each(['script', 'SCRIPT', 'meta', 'base', 'template', 'portal', 'svg:script'])(
    'replaces a %s and its content by an empty element',
    (tag) => {
      const [safe, ...more] = shown([
        element(tag, { src: EVIL, content: EVIL }, [element('b', {}, [text('x')])]),
      ]);
      expect(safe).toMatchObject({ tagName: 'noscript', attributes: {}, childNodes: [] });
      expect(more).toEqual([]);
    },
  );

  it.each([
    'onclick',
    'ONERROR',
    'onbegin',
    'srcdoc',
    'formaction',
    'action',
    'ping',
    'srcset',
    'http-equiv',
  ])('removes the attribute %s', (name) =>
    expect(attributesOf('p', { [name]: 'javascript:run()', class: 'kept' })).toEqual({ class: 'kept' }),
  );

  it.each(['"><script>', 'a b', 'x=y', ''])('removes an attribute with the name %j', (name) =>
    expect(attributesOf('p', { [name]: 'x' })).toEqual({}),
  );

  it.each(['javascript:run()', ' JaVaScRiPt:run()', 'data:text/html,<script>', EVIL, '//evil.example'])(
    'lets no link lead to %j',
    (href) => {
      for (const name of ['href', 'xlink:href'])
        expect(attributesOf('a', { [name]: href })).toEqual({ [name]: '#' });
    },
  );

  it('lets svg use and image name parts of the same page and pictures in the recording alone', () => {
    expect(attributesOf('use', { href: '#mark' })).toEqual({ href: '#mark' });
    expect(attributesOf('use', { href: `${EVIL}.svg#mark` })).toEqual({});
    expect(attributesOf('use', { 'xlink:href': 'data:text/html,x' })).toEqual({});
    expect(attributesOf('image', { href: 'data:image/png;base64,AA' })).toEqual({
      href: 'data:image/png;base64,AA',
    });
  });

  it('removes svg animations that change an address or a handler', () => {
    for (const attributeName of ['href', 'xlink:href', 'src', 'onclick'])
      expect(one(element('animate', { attributeName, to: 'javascript:run()' }))?.['tagName']).toBe(
        'noscript',
      );
    expect(one(element('animate', { attributeName: 'opacity' }))?.['tagName']).toBe('animate');
  });

  it('keeps images of other sites only if the viewer chose it, and only over TLS', () => {
    expect(attributesOf('img', { src: EVIL })).toEqual({});
    expect(attributesOf('img', { src: EVIL }, true)).toEqual({ src: EVIL });
    expect(attributesOf('img', { src: 'http://evil.example/x' }, true)).toEqual({});
    expect(attributesOf('img', { rr_dataURL: EVIL }, true)).toEqual({});
    expect(attributesOf('source', { src: EVIL }, true)).toEqual({});
  });

  it('keeps a style sheet that the recording contains, and loads none', () => {
    const kept = attributesOf('link', { rel: 'stylesheet', href: EVIL, _cssText: 'p { color: red }' });
    expect(kept).toEqual({ rel: 'stylesheet', href: '#', _cssText: 'p { color: red }' });
    expect(one(element('link', { rel: 'stylesheet', href: EVIL }))?.['tagName']).toBe('noscript');
    expect(one(element('link', { rel: 'prefetch', href: EVIL }))?.['tagName']).toBe('noscript');
  });

  it('turns a form and its fields into ones that send nothing and name nothing', () => {
    const [form, input] = shown([
      element('form', { action: EVIL, name: 'body', target: '_top' }, [
        element('input', { type: 'image', src: EVIL, name: 'cookie', autofocus: true, form: 'other' }),
      ]),
    ]);
    expect([form?.['attributes'], input?.['attributes']]).toEqual([{}, { type: 'image' }]);
  });

  it.each([
    [
      'iframe',
      { srcdoc: '<script>', rr_src: 'https://video.example/embed?id=1', width: '640', height: '360' },
    ],
    ['frame', { src: EVIL, rr_src: 'https://video.example/', width: '640px', height: '360' }],
  ])('shows a box with the host of the page instead of a %s', (tag, attributes) => {
    expect(one(element(tag, attributes, [text('inside')]))).toMatchObject({
      tagName: 'div',
      childNodes: [],
      attributes: { [BOX]: 'Frame · video.example', rr_width: '640px', rr_height: '360px' },
    });
  });

  it.each([
    ['video', 'Video'],
    ['audio', 'Video'],
    ['canvas', 'Drawing'],
    ['object', 'Frame'],
    ['embed', 'Frame'],
  ])('shows a box instead of a %s, and counts it', (tag, label) => {
    const { unseen, build } = sanitiserOf();
    build(element(tag, { src: EVIL, poster: EVIL, data: EVIL, autoplay: true, class: 'wide' }));
    expect(attributesOf(tag, { src: EVIL, poster: EVIL, class: 'wide' })).toEqual({
      [BOX]: label,
      class: 'wide',
    });
    expect(unseen.frames + unseen.media + unseen.canvases).toBe(1);
  });

  it('shows a canvas of which the recording has a picture', () => {
    const rr_dataURL = 'data:image/png;base64,AA';
    expect(one(element('canvas', { rr_dataURL, width: '10' }))).toMatchObject({
      tagName: 'canvas',
      attributes: { rr_dataURL, width: '10' },
    });
    expect(attributesOf('canvas', { rr_dataURL: EVIL })).toEqual({ [BOX]: 'Drawing' });
  });

  it('removes documents within documents, which are the contents of frames', () => {
    const { unseen, build } = sanitiserOf();
    const inner = { type: 0, id: 900, childNodes: [element('script')] };
    expect(JSON.stringify(build(element('div', {}, [inner])))).not.toContain('"id":900');
    expect(unseen.frames).toBe(1);
  });

  it('makes later changes safe by the element that they change', () => {
    const { unseen, sanitiser, build } = sanitiserOf();
    const [link, frame, paragraph] = [element('a'), element('iframe', { rr_src: EVIL }), element('p')];
    build(link, frame, paragraph);
    const changed = (data: object): unknown =>
      sanitiser.event({
        type: 3,
        timestamp: 2,
        data: { source: 0, adds: [], texts: [], removes: [], attributes: [], ...data },
      });
    expect(
      changed({
        attributes: [
          { id: link.id, attributes: { href: 'javascript:run()', onclick: 'run()' } },
          { id: frame.id, attributes: { srcdoc: '<script>', src: EVIL, style: { width: '1px' } } },
          { id: 424_242, attributes: { class: 'unknown' } },
        ],
        adds: [
          { parentId: frame.id, nextId: null, node: { type: 0, id: 901, childNodes: [] } },
          { parentId: paragraph.id, nextId: null, node: element('script', { src: EVIL }) },
        ],
      }),
    ).toMatchObject({
      data: {
        attributes: [
          { id: link.id, attributes: { href: '#' } },
          { id: frame.id, attributes: { style: { width: '1px' } } },
        ],
        adds: [{ parentId: paragraph.id, node: { tagName: 'noscript', attributes: {} } }],
      },
    });
    expect(unseen.frames).toBe(1);
  });

  it.each([7, 9, 10, 11, 14, 16])('plays no change of the source %i', (source) => {
    const { sanitiser } = sanitiserOf();
    expect(sanitiser.event({ type: 3, timestamp: 1, data: { source, id: 1, commands: [] } })).toBeUndefined();
  });

  it('keeps a focus, which has no place, and drops a click at an invalid place', () => {
    const { sanitiser } = sanitiserOf();
    const moved = (data: object) =>
      sanitiser.event({ type: 3, timestamp: 1, data: { source: 2, id: 1, ...data } });
    expect(moved({ type: 5 })).toMatchObject({ data: { source: 2, type: 5, id: 1 } });
    expect(moved({ type: 2, x: 'here', y: 1 })).toBeUndefined();
  });

  it('keeps no address of a recorded page', () => {
    const { sanitiser } = sanitiserOf();
    const meta = { type: 4, timestamp: 1, data: { href: 'javascript:run()', width: 10, height: 10 } };
    expect(sanitiser.event(meta)).toMatchObject({ data: { href: '', width: 10, height: 10 } });
  });
});
