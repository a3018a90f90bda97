import { posix } from 'node:path';
import { type Expression, parseSync, type Statement, Visitor } from 'oxc-parser';

export interface Import {
  /** The imported file of the tree, or the unchanged specifier if it is not a file of the tree. */
  target: string;
}

export interface Export {
  name: string;
  isType: boolean;
}

/** The parts of a source file that the rules examine. */
export interface Source {
  path: string;
  /** The number of its lines. */
  lines: number;
  imports: Import[];
  exports: Export[];
  /** The module-level `const`s that hold a number, a string or a regular expression. */
  constants: string[];
  hasSqlTemplate: boolean;
  /** Whether it uses `Date.now` or `new Date()`. */
  readsSystemClock: boolean;
  /** The texts of its comments, without delimiters. */
  comments: string[];
  /** Its strings of several words, and such parts of templates and JSX. */
  strings: string[];
}

export type Tree = ReadonlyMap<string, Source>;

/** Parses the TypeScript files of a tree, given as path and text. */
export function parseTree(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files).map(([path, text]) => [path, parseSource(path, text)]));
}

function parseSource(path: string, text: string): Source {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const entries = module.staticExports.flatMap((one) => one.entries);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start + 1, end - 1),
  );
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ...dynamic,
  ];
  let hasSqlTemplate = false;
  let readsSystemClock = false;
  const strings: string[] = [];
  const addString = (value: string) => {
    if (/\S\s+\S/.test(value)) strings.push(value);
  };
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string') addString(value);
    },
    TemplateElement({ value }) {
      addString(value.raw);
    },
    JSXText({ value }) {
      addString(value);
    },
    TaggedTemplateExpression({ tag }) {
      hasSqlTemplate ||= isNamed(tag.type === 'MemberExpression' ? tag.property : tag, 'sql');
    },
    MemberExpression({ object, property }) {
      readsSystemClock ||= isNamed(object, 'Date') && isNamed(property, 'now');
    },
    NewExpression({ callee, arguments: given }) {
      readsSystemClock ||= isNamed(callee, 'Date') && given.length === 0;
    },
  }).visit(program);
  return {
    path,
    lines: text.split('\n').length - 1,
    imports: [...new Set(specifiers)].map((specifier) => ({ target: resolve(path, specifier) })),
    exports: entries.flatMap(({ exportName: { name }, isType }) => (name === null ? [] : [{ name, isType }])),
    constants: program.body.flatMap(constantsOf),
    hasSqlTemplate,
    readsSystemClock,
    comments: comments.map(({ value }) => value.replaceAll(/^[\s*]+/gm, '')),
    strings,
  };
}

const resolve = (from: string, specifier: string) =>
  specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;

const isNamed = (node: object, name: string) => 'name' in node && node.name === name;

function constantsOf(statement: Statement): string[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') return [];
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init !== null && isConstant(init) ? [id.name] : [],
  );
}

function isConstant(value: Expression): boolean {
  switch (value.type) {
    case 'Literal':
      return value.value !== null && typeof value.value !== 'boolean';
    case 'TemplateLiteral':
      return value.expressions.length === 0;
    case 'UnaryExpression':
      return isConstant(value.argument);
    case 'BinaryExpression':
      return value.left.type !== 'PrivateIdentifier' && isConstant(value.left) && isConstant(value.right);
    default:
      return false;
  }
}
