import { readFile } from 'node:fs/promises';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

/** Two pixels for each one of the drawing, for screens of high density. */
const DENSITY = 2;

let loading: Promise<Uint8Array> | undefined;

/** Loads the renderer with the first picture. Returns the font. */
function load(): Promise<Uint8Array> {
  loading ??= (async () => {
    await initWasm(readFile(new URL('index_bg.wasm', import.meta.resolve('@resvg/resvg-wasm'))));
    return readFile(
      new URL('400Regular/Inter_400Regular.ttf', import.meta.resolve('@expo-google-fonts/inter')),
    );
  })();
  return loading;
}

/** Renders an SVG document as PNG. Takes tens of milliseconds. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  const font = await load();
  const drawing = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: DENSITY },
    background: '#ffffff',
    font: { fontBuffers: [font], loadSystemFonts: false },
  });
  try {
    const image = drawing.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  } finally {
    drawing.free();
  }
}
