import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type PrimitiveValueListNode,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from 'kysely';

/** A column that holds a moment is named so. */
const NAMES_MOMENT = /(?:At|Until)$/;

/**
 * Moments are `Date`s in this code, and in the database texts as `Date.toISOString` writes them, so that they sort as they
 * follow each other. To be the last plugin: it knows columns by their names in this code.
 */
export class DatesPlugin implements KyselyPlugin {
  readonly #toTexts = new DatesToTexts();

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#toTexts.transformNode(node);
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const columns = Object.keys(result.rows[0] ?? {}).filter((name) => NAMES_MOMENT.test(name));
    if (columns.length === 0) return result;
    const dated = (row: UnknownRow) => columns.map((name) => [name, dateOf(row[name])]);
    return { ...result, rows: result.rows.map((row) => ({ ...row, ...Object.fromEntries(dated(row)) })) };
  }
}

class DatesToTexts extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: textOf(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(textOf) };
  }
}

function textOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

function dateOf(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value) : value;
}
