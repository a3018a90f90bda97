const ENOUGH_FOR_FEEDBACK = 1_000;

/**
 * Keeps string methods fast. ioredis has a class that extends String, after which V8 treats String.prototype as an
 * object that is still being set up: optimised code looks each method up again, and loops over characters take two to
 * three times as long. V8 ends that permanently once code that it has observed for a while calls a method on a String
 * object. Calls on plain strings, the only ones that programs make, do not count.
 * Source: `JSObject::MakePrototypesFast` in V8's src/objects/js-objects.cc.
 */
export function keepStringsFast(): void {
  const text = Object('text');
  for (let i = 0; i < ENOUGH_FOR_FEEDBACK; i++) firstCode(text);
}

const firstCode = (text: string): number => text.charCodeAt(0);
