import { type Problem, problemsOf } from '@switchboard/contracts';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { nameOf } from '../terminal/terminal.ts';

/** A file is invalid. The message contains the file, the line, every problem and its correction. */
export class ManifestError extends Error {
  override name = 'ManifestError';
}

/** The maximum number of nodes that all aliases of a file expand to. */
const MAX_ALIASED = 100_000;
/** The maximum number of problems in a message. */
const MAX_PROBLEMS = 100;

/** A YAML or JSON file. */
export interface YamlFile {
  /** The content of the file. An empty object for an empty file. */
  value: unknown;
  /** Parses the value, or a part of it, with a schema. Throws ManifestError, also for unknown properties. */
  parse<S extends z.ZodType>(schema: S, part?: unknown): z.output<S>;
}

/** Reads a YAML or JSON file. `place` is its path or URL. Throws ManifestError. */
export function readYaml(source: string, place: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const at = (offset: number) => `${nameOf(place)}:${lines.linePos(offset).line}`;
  const [fault] = document.errors;
  if (fault !== undefined) throw new ManifestError(`${at(fault.pos[0])}: not valid YAML: ${fault.message}`);
  requireJson(document, at);
  const value = jsonOf(document, at) ?? {};

  /** Returns the location of the innermost part of a path that is in the file. */
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

/** Throws for a number that JSON cannot represent. */
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
