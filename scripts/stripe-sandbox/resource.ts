import * as v from 'valibot';
import type { Account, Cause } from './account.ts';
import { ParameterError, resourceMissing } from './answer.ts';
import type { Kind } from './objects.ts';
import { id, integer, mergeMetadata, type metadata, parseParameters } from './parameters.ts';

/** A request to the API, as its operation sees it. */
export type Call = Cause & {
  keyKind: 'secret' | 'publishable';
  /** The object's id in the path; '' where the path contains none. */
  id: string;
  /** The form's or query's values, unchecked. */
  parameters: unknown;
  requestId: string;
};

/** One operation of the API. */
export type Operation = {
  /** Returns the answer's body, or throws an ApiError. */
  run: (call: Call) => object;
  /** Whether a browser may call it, with the publishable key. */
  browser: boolean;
};

/** An operation that gets its parameters checked. */
export function operation<Schema extends v.GenericSchema>(
  schema: Schema,
  run: (parameters: v.InferOutput<Schema>, call: Call) => object,
  browser = false,
): Operation {
  return { run: (call) => run(parseParameters(schema, call.parameters), call), browser };
}

/** No parameters. */
export const nothing = v.strictObject({});

/** What an answer or a field contains: an object of this kind, or a list of them. */
type Shape = Kind | readonly [Kind];

/** A kind of object, as the API serves it. It can always be retrieved; what else is done with it is said here. */
export type Resource = {
  /** Its path after `/v1/`. */
  path: string;
  /** Its fields with the id of another object, and those with a list of objects that name this one. */
  expands?: Readonly<Record<string, Shape>>;
  /** Where it is listed: the fields by which a list can be filtered, besides `created`. */
  filters?: v.ObjectEntries;
  /** The kinds of which those that name it are listed under its own path. */
  owns?: readonly Kind[];
  create?: Operation;
  retrieve?: Operation;
  update?: Operation;
  remove?: Operation;
  /** `POST` to the object's path and this name. */
  actions?: Readonly<Record<string, Operation>>;
  /** The sandbox's own operation, with which its script answers a 3-D Secure challenge. */
  challenge?: Operation;
};

/** The table of all resources. */
export type Resources = Readonly<Record<Kind, Resource>>;

/** One route of the API. */
export type Route = Operation & { method: 'get' | 'post' | 'delete'; path: string };

/** The routes of all resources. */
export function routesOf(account: Account, resources: Resources): Route[] {
  const add = (method: Route['method'], path: string, shape: Shape, found: Operation | undefined) =>
    found ? [{ method, path, ...found, run: withExpansion(account, resources, shape, found) }] : [];
  return kindsOf(resources).flatMap((kind) => {
    const { path, filters, owns = [], actions = {}, ...resource } = resources[kind];
    const [all, one] = [`/v1/${path}`, `/v1/${path}/:id`];
    return [
      ...add('get', all, [kind], filters && listing(account, kind, filters)),
      ...add('post', all, kind, resource.create),
      ...add(
        'get',
        one,
        kind,
        resource.retrieve ?? operation(nothing, (_none, call) => account.find(kind, call.id)),
      ),
      ...add('post', one, kind, resource.update),
      ...add('delete', one, kind, resource.remove),
      ...owns.flatMap((owned) =>
        add('get', `${one}/${resources[owned].path}`, [owned], listing(account, owned, onlyCards, kind)),
      ),
      ...Object.entries(actions).flatMap(([name, action]) => add('post', `${one}/${name}`, kind, action)),
      ...add('post', `/sandbox/${path}/:id/challenge`, kind, resource.challenge),
    ];
  });
}

/** The site has no other payment methods. */
const onlyCards = { type: v.exactOptional(v.literal('card')) };

function kindsOf(resources: Resources): Kind[] {
  const isKind = (name: string): name is Kind => Object.hasOwn(resources, name);
  return Object.keys(resources).filter(isKind);
}

/** An update of an object's fields; its metadata are merged. Reports an event where Stripe does. */
export function changing<K extends 'charge' | 'customer' | 'product' | 'refund'>(
  account: Account,
  kind: K,
  schema: v.GenericSchema<unknown, { metadata?: v.InferOutput<typeof metadata> }>,
  event?: string,
): Operation {
  return operation(schema, ({ metadata: pairs, ...fields }, call) => {
    const found = account.find(kind, call.id);
    const changed = account.save({ ...found, ...fields, metadata: mergeMetadata(found.metadata, pairs) });
    if (event) account.publish(event, changed, call);
    return changed;
  });
}

/** A range of time, in seconds since the epoch. */
const created = v.exactOptional(v.record(v.picklist(['gt', 'gte', 'lt', 'lte']), integer));

/** The parameters of every list. https://docs.stripe.com/api/pagination */
const pageEntries = {
  created,
  limit: v.exactOptional(v.pipe(integer, v.minValue(1), v.maxValue(100, 'Invalid limit: at most 100'))),
  starting_after: v.exactOptional(id),
};

function matchesCreated(time: number, filter: v.InferOutput<typeof created> = {}): boolean {
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = filter;
  return time > gt && time >= gte && time < lt && time <= lte;
}

/** Lists the objects whose fields have the values asked for; of an owner, only those that name it. */
function listing(account: Account, kind: Kind, filters: v.ObjectEntries, owner?: Kind): Operation {
  const schema = v.strictObject({ ...filters, ...pageEntries });
  return operation(schema, ({ created: time, limit, starting_after, ...wanted }, call) => {
    const base = owner ? `${owner}s/${account.find(owner, call.id).id}/` : '';
    const values = Object.entries(owner ? { ...wanted, [owner]: call.id } : wanted);
    const objects = account.all(kind).filter((object) => {
      const isWanted = values.every(([name, value]) => Reflect.get(object, name) === value);
      return isWanted && matchesCreated(object.created, time);
    });
    return pageOf(kind, `/v1/${base}${kind}s`, objects, limit, starting_after);
  });
}

/** One page of objects, which are the newest first. */
function pageOf(
  kind: Kind,
  url: string,
  objects: readonly { id: string }[],
  limit = 10,
  last?: string,
): object {
  const place = last === undefined ? -1 : objects.findIndex((object) => object.id === last);
  if (last !== undefined && place === -1) throw resourceMissing(kind, last, 'starting_after');
  const start = place + 1;
  const data = objects.slice(start, start + limit);
  return { object: 'list', url, has_more: start + limit < objects.length, data };
}

const expandParameters = v.looseObject({ expand: v.optional(v.array(v.string()), []) });
const anyObject = v.looseObject({});

/**
 * Adds the parameter `expand` to an operation: at the given paths, its answer contains objects instead of
 * their ids. A path that cannot be expanded is refused before anything is done.
 * https://docs.stripe.com/api/expanding_objects
 */
function withExpansion(account: Account, resources: Resources, shape: Shape, { run }: Operation) {
  const fieldOf = (inside: Shape, field: string): Shape | undefined => {
    if (typeof inside !== 'string') return field === 'data' ? inside[0] : undefined;
    const { expands = {} } = resources[inside];
    return Object.hasOwn(expands, field) ? expands[field] : undefined;
  };

  const check = (path: readonly string[]) => {
    path.reduce<Shape>((inside, field) => {
      const found = fieldOf(inside, field);
      if (!found) throw new ParameterError(`This property cannot be expanded (${path.join('.')}).`);
      return found;
    }, shape);
  };

  const expand = (object: object, inside: Shape, [field = '', ...rest]: readonly string[]): object => {
    const found = fieldOf(inside, field);
    if (found === undefined) return object;
    const fields = v.parse(anyObject, object);
    const expandInner = (inner: unknown) => expand(v.parse(anyObject, inner), found, rest);
    const value = fields[field] ?? (typeof found === 'string' ? null : listOf(inside, found[0], fields.id));
    if (Array.isArray(value)) return { ...fields, [field]: value.map(expandInner) };
    const isId = typeof value === 'string' && typeof found === 'string';
    const target = isId ? (account.get(found, value) ?? account.deleted.get(value)) : value;
    return { ...fields, [field]: target ? expandInner(target) : null };
  };

  /** The list of which an object contains no ids, such as the refunds of a charge. */
  const listOf = (owner: Shape, kind: Kind, ownerId: unknown) => {
    const owned = account.all(kind).filter((object) => Reflect.get(object, String(owner)) === ownerId);
    return pageOf(kind, `/v1/${owner}s/${ownerId}/${kind}s`, owned);
  };

  return (call: Call): object => {
    const parsed = v.safeParse(expandParameters, call.parameters);
    // With a publishable key nothing is expanded.
    if (call.keyKind === 'publishable' || !parsed.success) return run(call);
    const { expand: asked, ...parameters } = parsed.output;
    const paths = asked.map((path) => path.split('.'));
    for (const path of paths) check(path);
    return paths.reduce((answer, path) => expand(answer, shape, path), run({ ...call, parameters }));
  };
}
