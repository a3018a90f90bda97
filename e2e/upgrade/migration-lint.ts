import { type AlterTableCmd, type ColumnDef, type Node, parse } from 'libpg-query';

/**
 * The reason why a statement needs a marker above it. `contract`: the running version may still need what the
 * statement removes or forbids. `brief`: the statement blocks readers or writers of a table while it runs.
 */
export interface Finding {
  marker: 'contract' | 'brief';
  statement: string;
  reason: string;
}

type Problem = Omit<Finding, 'statement'>;

const contract = (reason: string): Problem => ({ marker: 'contract', reason });
const brief = (reason: string): Problem => ({ marker: 'brief', reason });

/**
 * Finds the statements of a migration that are unsafe while the previous version runs, using PostgreSQL's own parser.
 * Statements known to be safe pass. Others pass below a line `-- contract: <why>` or `-- brief: <why>`. Throws if the
 * SQL cannot be parsed.
 */
export async function lintMigration(sql: string): Promise<Finding[]> {
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  const made = new Set(stmts.map(({ stmt }) => tableMade(stmt)));
  let end = 0;
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length = bytes.length - start }) => {
    // The parser starts a statement after its comments, except for the first statement of a file.
    const before = bytes.toString('utf8', end, start);
    const statement = bytes.toString('utf8', start, start + length);
    end = start + length;
    const markers = new Set(
      [...`${before}\n${statement}`.matchAll(/^\s*-- (contract|brief): *\S.*$/gm)].map(([, name]) => name),
    );
    return problemsOf(stmt, made)
      .filter(({ marker }) => !markers.has(marker))
      .map((problem) => ({ ...problem, statement: statement.trim().slice(0, 200) }));
  });
}

function tableMade(stmt: Node | undefined): string | undefined {
  return stmt !== undefined && 'CreateStmt' in stmt ? stmt.CreateStmt.relation?.relname : undefined;
}

const ADDITIONS = [
  ...['CreateStmt', 'CreateSchemaStmt', 'CreateSeqStmt', 'CreateEnumStmt', 'CreateExtensionStmt'],
  ...['CreateFunctionStmt', 'ViewStmt', 'CommentStmt', 'InsertStmt', 'SelectStmt'],
];

function problemsOf(stmt: Node | undefined, made: ReadonlySet<string | undefined>): Problem[] {
  if (stmt === undefined) return [];
  const kind = Object.keys(stmt)[0] ?? '';
  if (ADDITIONS.includes(kind)) return [];
  if ('AlterTableStmt' in stmt) {
    if (made.has(stmt.AlterTableStmt.relation?.relname)) return [];
    return (stmt.AlterTableStmt.cmds ?? []).flatMap((cmd) =>
      'AlterTableCmd' in cmd ? alteration(cmd.AlterTableCmd) : [contract('the command cannot be checked')],
    );
  }
  if ('CreateTrigStmt' in stmt && made.has(stmt.CreateTrigStmt.relation?.relname)) return [];
  if ('IndexStmt' in stmt) {
    if (made.has(stmt.IndexStmt.relation?.relname)) return [];
    return [
      ...(stmt.IndexStmt.unique ? [contract('the running version may write duplicates')] : []),
      ...(stmt.IndexStmt.concurrent ? [] : [brief('writes to the table wait until the index is built')]),
    ];
  }
  if ('AlterEnumStmt' in stmt) {
    const isNew = stmt.AlterEnumStmt.oldVal === undefined || stmt.AlterEnumStmt.oldVal === '';
    return isNew ? [] : [contract('the running version uses the old value')];
  }
  if ('UpdateStmt' in stmt) return [brief('updated rows stay locked until the migration ends')];
  if ('DropStmt' in stmt) return [contract('the running version may use the dropped object')];
  if ('RenameStmt' in stmt) return [contract('the running version uses the old name')];
  if ('DeleteStmt' in stmt || 'TruncateStmt' in stmt) return [contract('rows are removed')];
  return [contract(`${kind} is not known to be safe for the running version`)];
}

function alteration({ subtype, def, name = '' }: AlterTableCmd): Problem[] {
  switch (subtype) {
    case 'AT_DropNotNull':
      return [];
    // Settings of storage and vacuum do not change rows, and do not block readers and writers.
    case 'AT_SetRelOptions':
    case 'AT_ResetRelOptions':
      return [];
    case 'AT_ValidateConstraint':
      return [brief('the whole table is read')];
    case 'AT_ColumnDefault':
      return def === undefined ? [contract(`the running version may rely on the default of ${name}`)] : [];
    case 'AT_AddColumn':
      return def !== undefined && 'ColumnDef' in def
        ? newColumn(def.ColumnDef)
        : [contract('not a column definition')];
    case 'AT_DropColumn':
      return [contract(`the running version may use ${name}`)];
    case 'AT_AlterColumnType':
      return [
        contract(`the running version expects the old type of ${name}`),
        brief('the table is rewritten'),
      ];
    case 'AT_SetNotNull':
      return [contract(`the running version may write NULL to ${name}`), brief('the whole table is read')];
    case 'AT_AddConstraint':
      return [contract('the running version may violate the constraint'), brief('the whole table is read')];
    default:
      return [contract(`${subtype} is not known to be safe for the running version`)];
  }
}

/**
 * Functions that return one value for the whole statement. Any other function may return one per row, which rewrites
 * the table.
 */
const SAME_FOR_ALL = new Set(['now', 'transaction_timestamp', 'statement_timestamp']);

function newColumn({ colname = '', constraints = [] }: ColumnDef): Problem[] {
  const parts = constraints.flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));
  const types = new Set(parts.map(({ contype }) => contype));
  const fallback = parts.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const isFilled = fallback !== undefined || types.has('CONSTR_GENERATED') || types.has('CONSTR_IDENTITY');
  return [
    ...(types.has('CONSTR_NOTNULL') && !isFilled
      ? [contract(`the running version does not write ${colname}`)]
      : []),
    ...(types.has('CONSTR_GENERATED') || types.has('CONSTR_IDENTITY') || isCall(fallback)
      ? [brief('the table is rewritten')]
      : []),
    ...(types.has('CONSTR_UNIQUE') || types.has('CONSTR_PRIMARY') ? [brief('an index is built')] : []),
  ];
}

function isCall(expression: Node | undefined): boolean {
  if (expression === undefined || !('FuncCall' in expression)) return false;
  const last = expression.FuncCall.funcname?.at(-1);
  const name = last !== undefined && 'String' in last ? (last.String.sval ?? '') : '';
  return !SAME_FOR_ALL.has(name);
}
