import { type AlterTableCmd, type ColumnDef, type Node, parse } from 'libpg-query';

/**
 * Why a statement needs a marker before it. `contract`: the version that serves while it is applied may need what it
 * takes away or forbids. `brief`: it holds up readers or writers of a table for as long as it takes.
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
 * What of a migration may not be applied while the version before serves, by PostgreSQL's own parser. Only what is
 * known to be harmless passes; a statement passes as well below a line `-- contract: <why>` or `-- brief: <why>`.
 * Throws when the SQL cannot be parsed.
 */
export async function lintMigration(sql: string): Promise<Finding[]> {
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  const made = new Set(stmts.map(({ stmt }) => tableMade(stmt)));
  let end = 0;
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length = bytes.length - start }) => {
    // The parser lets a statement begin behind its comments, or, the first of a file, before them.
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
      'AlterTableCmd' in cmd ? alteration(cmd.AlterTableCmd) : [contract('it cannot be checked')],
    );
  }
  if ('IndexStmt' in stmt) {
    if (made.has(stmt.IndexStmt.relation?.relname)) return [];
    return [
      ...(stmt.IndexStmt.unique ? [contract('the version that serves may write what is not unique')] : []),
      ...(stmt.IndexStmt.concurrent ? [] : [brief('nobody writes to the table until the index is made')]),
    ];
  }
  if ('AlterEnumStmt' in stmt) {
    const isNew = stmt.AlterEnumStmt.oldVal === undefined || stmt.AlterEnumStmt.oldVal === '';
    return isNew ? [] : [contract('the version that serves knows the old value')];
  }
  if ('UpdateStmt' in stmt) return [brief('every row it changes is locked until the migration ends')];
  if ('DropStmt' in stmt) return [contract('the version that serves may use what is dropped')];
  if ('RenameStmt' in stmt) return [contract('the version that serves knows the old name')];
  if ('DeleteStmt' in stmt || 'TruncateStmt' in stmt) return [contract('it removes rows')];
  return [contract(`whether ${kind} harms the version that serves is not known`)];
}

function alteration({ subtype, def, name = '' }: AlterTableCmd): Problem[] {
  switch (subtype) {
    case 'AT_DropNotNull':
      return [];
    case 'AT_ValidateConstraint':
      return [brief('the whole table is read')];
    case 'AT_ColumnDefault':
      return def === undefined ? [contract(`the version that serves may leave ${name} to its default`)] : [];
    case 'AT_AddColumn':
      return def !== undefined && 'ColumnDef' in def ? newColumn(def.ColumnDef) : [contract('no column')];
    case 'AT_DropColumn':
      return [contract(`the version that serves may use ${name}`)];
    case 'AT_AlterColumnType':
      return [contract(`the version that serves knows ${name} by its type`), brief('the table is rewritten')];
    case 'AT_SetNotNull':
      return [contract(`the version that serves may leave ${name} empty`), brief('the whole table is read')];
    case 'AT_AddConstraint':
      return [
        contract('the version that serves may write what it forbids'),
        brief('the whole table is read'),
      ];
    default:
      return [contract(`whether ${subtype} harms the version that serves is not known`)];
  }
}

/** The time of the statement is one value for all rows; any other call may give each its own. */
const SAME_FOR_ALL = new Set(['now', 'transaction_timestamp', 'statement_timestamp']);

function newColumn({ colname = '', constraints = [] }: ColumnDef): Problem[] {
  const parts = constraints.flatMap((node) => ('Constraint' in node ? [node.Constraint] : []));
  const types = new Set(parts.map(({ contype }) => contype));
  const fallback = parts.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  const isFilled = fallback !== undefined || types.has('CONSTR_GENERATED') || types.has('CONSTR_IDENTITY');
  return [
    ...(types.has('CONSTR_NOTNULL') && !isFilled
      ? [contract(`the version that serves leaves ${colname} empty`)]
      : []),
    ...(types.has('CONSTR_GENERATED') || types.has('CONSTR_IDENTITY') || isCall(fallback)
      ? [brief('the table is rewritten')]
      : []),
    ...(types.has('CONSTR_UNIQUE') || types.has('CONSTR_PRIMARY') ? [brief('an index is made')] : []),
  ];
}

function isCall(expression: Node | undefined): boolean {
  if (expression === undefined || !('FuncCall' in expression)) return false;
  const last = expression.FuncCall.funcname?.at(-1);
  const name = last !== undefined && 'String' in last ? (last.String.sval ?? '') : '';
  return !SAME_FOR_ALL.has(name);
}
