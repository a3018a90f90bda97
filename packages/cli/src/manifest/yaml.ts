import { type Problem, problemsOf } from '@switchboard/contracts';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { nameOf } from '../commands/terminal.ts';

/** A file is invalid. The message names the file, the line, every problem and what to write instead. */
export class ManifestError extends Error {
  override name = 'ManifestError';
}

/** Nodes that the aliases of a file may stand for, all in all. */
const MAX_ALIASED = 100_000;
/** Most problems that a message names. */
const MAX_PROBLEMS = 100;

/** A file in YAML, or JSON. */
export interface YamlFile {
  /** What it holds; an empty object for an empty file. */
  value: unknown;
  /** What a schema makes of the value, or of a part of it. Throws ManifestError; an unknown property is a problem. */
  parse<S extends z.ZodType>(schema: S, part?: unknown): z.output<S>;
}

/** Reads a file in YAML, or JSON. `place` is its path or address. Throws ManifestError. */
export function readYaml(source: string, place: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number) => `${nameOf(place)}:${lines.linePos(offset).line}`;
  const [fault] = document.errors;
  if (fault !== undefined) throw new ManifestError(`${at(fault.pos[0])}: not valid YAML: ${fault.message}`);
  requireJson(document, at);
  const value = jsonOf(document, at) ?? {};

  /** The place of the innermost part of a path that is in the file. */
  function placeOf(path: readonly PropertyKey[]): string {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      if (Array.isArray(range)) return at(Number(range[0]));
    }
    return nameOf(place);
  }

  const described = ({ path, message }: Problem) => `${placeOf(path)}: ${message}`;

  return {
    value,
    parse(schema, part = value) {
      const { success, data, error } = schema.safeParse(part);
      const options = { where: 'file', most: MAX_PROBLEMS, isStrict: true };
      const problems = problemsOf({ schema, value: part, error }, options);
      if (success && problems.length === 0) return data;
      throw new ManifestError(problems.map(described).join('\n') || `${nameOf(place)}: not valid`);
    },
  };
}

/** Throws for a number that JSON does not have. */
function requireJson(document: Document, at: (offset: number) => string): void {
  visit(document, {
    Scalar(_key, { value, source, range }) {
      if (typeof value !== 'number' || Number.isFinite(value)) return;
      throw new ManifestError(
        `${at(range?.[0] ?? 0)}: ${source} is not a JSON value; write a number, or a string in quotes`,
      );
    },
  });
}

function jsonOf(document: Document, at: (offset: number) => string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASED });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    visit(document, {
      Alias(_key, alias) {
        if (alias.resolve(document) !== undefined) return;
        throw new ManifestError(
          `${at(alias.range?.[0] ?? 0)}: *${alias.source} has no anchor before it; write &${alias.source} where the value is`,
        );
      },
    });
    throw new ManifestError(
      `${at(0)}: aliases stand for more than ${MAX_ALIASED} nodes; write the values instead`,
    );
  }
}
