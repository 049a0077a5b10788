import {
  CamelCasePlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
  SqliteQueryCompiler,
  type UnknownRow,
} from 'kysely';
import { inSql } from './columns.ts';

/** A column that holds a moment is named so. */
const NAMES_MOMENT = /(?:At|Until)$/;

/**
 * Columns are named in camel case in this code, and moments are `Date`s; in the database, names are in snake case, and
 * moments are texts as `Date.toISOString` writes them, so that they sort as they follow each other. The compilers below
 * translate queries: a plugin would copy each of them whole. Budget: a registration's CPU time.
 */
export class NamesAndDates extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  override async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const result = await super.transformResult(args);
    const moments = Object.keys(result.rows[0] ?? {}).filter((name) => NAMES_MOMENT.test(name));
    for (const row of result.rows) for (const name of moments) row[name] = dateOf(row[name]);
    return result;
  }
}

export class SqliteCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(inSql(name));
  }

  protected override appendValue(value: unknown): void {
    super.appendValue(textOf(value));
  }
}

export class PostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(inSql(name));
  }

  protected override appendValue(value: unknown): void {
    super.appendValue(textOf(value));
  }
}

function textOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

function dateOf(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value) : value;
}
