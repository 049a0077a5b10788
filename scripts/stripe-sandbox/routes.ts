import * as v from 'valibot';
import type { Account, Kind, Kinds } from './account.ts';
import { ParameterError, resourceMissing } from './answer.ts';

/** A parameter which an empty string unsets. */
export const clearable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => (value === '' ? null : value)),
    v.nullable(schema),
  );

export const id = v.pipe(v.string(), v.nonEmpty('Invalid string: it is empty'));
export const integer = v.pipe(v.string('Invalid integer'), v.digits('Invalid integer'), v.transform(Number));
export const boolean = v.pipe(
  v.picklist(['true', 'false'], 'Invalid boolean'),
  v.transform((value) => value === 'true'),
);
export const webUrl = v.pipe(v.string(), v.url('Not a valid URL'));
export const cardOnly = v.literal('card', 'Invalid type: the sandbox takes cards only');

export const optionalId = v.exactOptional(id);
export const optionalEmail = v.exactOptional(
  clearable(v.pipe(v.string(), v.rfcEmail('Invalid email address'))),
);
export const phrase = (maxLength: number) =>
  v.exactOptional(clearable(v.pipe(v.string(), v.maxLength(maxLength))));

/** Key-value pairs; '' as a value deletes the key. https://docs.stripe.com/api/metadata */
const metadata = v.record(v.pipe(v.string(), v.maxLength(40)), v.pipe(v.string(), v.maxLength(500)));
export const optionalMetadata = { metadata: v.exactOptional(metadata) };

export function mergeMetadata(
  current: Readonly<Record<string, string>>,
  update: v.InferOutput<typeof metadata> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...current, ...update }).filter(([, value]) => value !== ''));
}

/** Throws what Stripe answers to the first invalid parameter. */
function parseParameters<Schema extends v.GenericSchema>(
  schema: Schema,
  raw: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, raw);
  if (result.success) return result.output;
  throw parameterError(result.issues.find(isUnknownKey) ?? result.issues[0]);
}

const isUnknownKey = ({ type, expected }: v.BaseIssue<unknown>): boolean =>
  type === 'strict_object' && expected === 'never';

function parameterError(issue: v.BaseIssue<unknown>): ParameterError {
  const [first, ...rest] = (issue.path ?? []).map((item) => String(item.key));
  const param = `${first ?? ''}${rest.map((key) => `[${key}]`).join('')}`;
  if (isUnknownKey(issue)) {
    const message = `Received unknown parameter: ${param}. The sandbox speaks only a part of Stripe's API.`;
    return new ParameterError(message, { param, code: 'parameter_unknown' });
  }
  if (issue.type === 'strict_object' && issue.received === 'undefined') {
    return new ParameterError(`Missing required param: ${param}.`, { param, code: 'parameter_missing' });
  }
  return new ParameterError(`${issue.message}.`, { param });
}

export type Call = {
  keyKind: 'secret' | 'publishable';
  /** The object's id in the path; '' where the path contains none. */
  id: string;
  parameters: unknown;
  idempotencyKey: string | null;
};

type Operation = {
  run: (call: Call) => object;
  /** Whether a browser may call it, with the publishable key. */
  browser: boolean;
};

export function operation<Schema extends v.GenericSchema>(
  schema: Schema,
  run: (parameters: v.InferOutput<Schema>, call: Call) => object,
  browser = false,
): Operation {
  return { run: (call) => run(parseParameters(schema, call.parameters), call), browser };
}

export const nothing = v.strictObject({});

/** It can always be retrieved. */
export type Resource = {
  path: string;
  /** Where it is listed: the fields by which a list can be filtered, besides `created`. */
  filters?: v.ObjectEntries;
  /** The kinds of which those that name it are listed under its own path. */
  owns?: readonly Kind[];
  create?: Operation;
  retrieve?: Operation;
  update?: Operation;
  remove?: Operation;
  actions?: Readonly<Record<string, Operation>>;
  /** With which the sandbox's script answers a 3-D Secure challenge. */
  challenge?: Operation;
};

export type Resources = Readonly<Record<Kind, Resource>>;

export type Route = Operation & { method: 'get' | 'post' | 'delete'; path: string };

export function routesOf(account: Account, resources: Resources): Route[] {
  const add = (method: Route['method'], path: string, found: Operation | undefined) =>
    found ? [{ method, path, ...found, run: withExpansion(account, found) }] : [];
  return kindsOf(resources).flatMap((kind) => {
    const { path, filters, owns = [], actions = {}, ...resource } = resources[kind];
    const [all, one] = [`/v1/${path}`, `/v1/${path}/:id`];
    const find = operation(nothing, (_none, call) => account.find(kind, call.id));
    return [
      ...add('get', all, filters && listing(account, kind, filters)),
      ...add('post', all, resource.create),
      ...add('get', one, resource.retrieve ?? find),
      ...add('post', one, resource.update),
      ...add('delete', one, resource.remove),
      ...owns.flatMap((owned) =>
        add('get', `${one}/${resources[owned].path}`, listing(account, owned, {}, kind)),
      ),
      ...Object.entries(actions).flatMap(([name, action]) => add('post', `${one}/${name}`, action)),
      ...add('post', `/sandbox/${path}/:id/challenge`, resource.challenge),
    ];
  });
}

function kindsOf(resources: Resources): Kind[] {
  const isKind = (name: string): name is Kind => Object.hasOwn(resources, name);
  return Object.keys(resources).filter(isKind);
}

/** The parameters of every list. https://docs.stripe.com/api/pagination */
const pageEntries = {
  created: v.exactOptional(v.strictObject({ gte: v.exactOptional(integer), lt: v.exactOptional(integer) })),
  limit: v.exactOptional(integer),
  starting_after: optionalId,
};

function listing(account: Account, kind: Kind, filters: v.ObjectEntries, owner?: Kind): Operation {
  const schema = v.strictObject({ ...filters, ...pageEntries });
  return operation(schema, ({ created = {}, limit, starting_after, ...wanted }, call) => {
    const { gte = 0, lt = Infinity } = created;
    if (owner) account.find(owner, call.id);
    const values = Object.entries(owner ? { ...wanted, [owner]: call.id } : wanted);
    const objects = account.all(kind).filter((object) => {
      const isWanted = values.every(([name, value]) =>
        Array.isArray(value)
          ? value.includes(Reflect.get(object, name.replace(/s$/, '')))
          : fieldOf(account, object, name) === value,
      );
      return isWanted && object.created >= gte && object.created < lt;
    });
    return pageOf(kind, objects, limit, starting_after);
  });
}

/** By what a list is filtered: a field, or the payout of a change of the balance, which it does not name. */
function fieldOf({ payoutOf }: Account, object: Kinds[Kind], name: string): unknown {
  const isHeld = object.object === 'balance_transaction' && name === 'payout';
  return isHeld ? payoutOf.get(object.id) : Reflect.get(object, name);
}

function pageOf(kind: Kind, objects: readonly { id: string }[], limit = 10, last?: string): object {
  const place = last === undefined ? -1 : objects.findIndex((object) => object.id === last);
  if (last !== undefined && place === -1) throw resourceMissing(kind, last, 'starting_after');
  const start = place + 1;
  const data = objects.slice(start, start + limit);
  return { object: 'list', has_more: start + limit < objects.length, data };
}

const expandParameters = v.looseObject({ expand: v.optional(v.array(v.string()), []) });
const anyObject = v.looseObject({});

/** https://docs.stripe.com/api/expanding_objects */
function withExpansion(account: Account, { run }: Operation) {
  const expand = (found: unknown, path: readonly string[]): unknown => {
    const [field, ...rest] = path;
    if (field === undefined || found === null) return found;
    if (Array.isArray(found)) return found.map((one) => expand(one, path));
    const fields = withRefunds(account, v.parse(anyObject, found), field);
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    const target = typeof value === 'string' ? account.named(value) : value;
    if (target === undefined)
      throw new ParameterError(`This property cannot be expanded (${path.join('.')}).`);
    return { ...fields, [field]: expand(target, rest) };
  };
  return (call: Call): object => {
    const parsed = v.safeParse(expandParameters, call.parameters);
    if (call.keyKind === 'publishable' || !parsed.success) return run(call);
    const { expand: asked, ...parameters } = parsed.output;
    const answer = run({ ...call, parameters });
    return asked.reduce((inner, path) => v.parse(anyObject, expand(inner, path.split('.'))), answer);
  };
}

/** A charge has its refunds only when they are asked for. */
function withRefunds(account: Account, fields: Record<string, unknown>, asked: string) {
  const { object, id: charge } = fields;
  if (object !== 'charge' || asked !== 'refunds' || 'refunds' in fields) return fields;
  const refunds = account.all('refund').filter((refund) => refund.charge === charge);
  return { ...fields, refunds: pageOf('refund', refunds) };
}
