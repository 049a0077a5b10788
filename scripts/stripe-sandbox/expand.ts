import * as v from 'valibot';
import type { Account, Endpoint } from './account.ts';
import { ParameterError } from './answer.ts';

const MAX_LEVELS = 4;
const LISTED_REFUNDS = 10;

type Kind =
  | ('charge' | 'customer' | 'dispute' | 'payment_intent' | 'payment_method' | 'product' | 'refund')
  | 'setup_intent';

/** What an endpoint returns or a field contains: an object of this kind, or a list of such objects. */
export type Answers = { kind: Kind; many: boolean };

export const one = (kind: Kind): Answers => ({ kind, many: false });
export const many = (kind: Kind): Answers => ({ kind, many: true });

const CUSTOMER = ['customer', one('customer')] as const;
const PAYMENT_INTENT = ['payment_intent', one('payment_intent')] as const;
const PAYMENT_METHOD = ['payment_method', one('payment_method')] as const;

/**
 * The fields that contain the id of another object; and `refunds`, which is present only when it is expanded.
 */
const EXPANDABLE: Record<Kind, ReadonlyMap<string, Answers>> = {
  charge: new Map([CUSTOMER, PAYMENT_INTENT, PAYMENT_METHOD, ['refunds', many('refund')]]),
  customer: new Map(),
  dispute: new Map([['charge', one('charge')], PAYMENT_INTENT]),
  payment_intent: new Map([CUSTOMER, ['latest_charge', one('charge')], PAYMENT_METHOD]),
  payment_method: new Map([CUSTOMER]),
  product: new Map(),
  refund: new Map([['charge', one('charge')], CUSTOMER, PAYMENT_INTENT, PAYMENT_METHOD]),
  setup_intent: new Map([CUSTOMER, PAYMENT_METHOD]),
};

const expandParameters = v.looseObject({ expand: v.optional(v.array(v.string()), []) });

const anyObject = v.looseObject({});

/**
 * Adds the parameter `expand` to an endpoint: at the given paths, its answer contains objects instead of
 * their ids. A path that cannot be expanded is refused before anything is done.
 * https://docs.stripe.com/api/expanding_objects
 */
export function withExpansion(account: Account, answers: Answers, endpoint: Endpoint): Endpoint {
  return (call) => {
    const parsed = v.safeParse(expandParameters, call.parameters);
    // With a publishable key nothing is expanded.
    if (call.keyKind === 'publishable' || !parsed.success) return endpoint(call);
    const { expand, ...parameters } = parsed.output;
    const paths = expand.map((path) => path.split('.'));
    for (const path of paths) checkPath(answers, path);
    const answer = endpoint({ ...call, parameters });
    return paths.reduce((object, path) => expandPath(account, object, answers, path), answer);
  };
}

/** https://docs.stripe.com/expand#multiple-levels */
function checkPath(answers: Answers, path: readonly string[]): void {
  const name = path.join('.');
  if (path.length > MAX_LEVELS) {
    throw new ParameterError(
      `You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${name}`,
      { code: 'property_expansion_max_depth' },
    );
  }
  let found: Answers | undefined = answers;
  for (const [index, field] of path.entries()) {
    found = found && fieldOf(found, field);
    if (found) continue;
    const hint = answers.many && index === 0 ? ` You may want to try expanding 'data.${name}' instead.` : '';
    const message = `This property cannot be expanded (${path.slice(0, index + 1).join('.')}).${hint}`;
    throw new ParameterError(message, {});
  }
}

function fieldOf({ kind, many: isList }: Answers, field: string): Answers | undefined {
  if (isList) return field === 'data' ? one(kind) : undefined;
  return EXPANDABLE[kind].get(field);
}

function expandPath(account: Account, object: object, answers: Answers, path: readonly string[]): object {
  const [field = '', ...rest] = path;
  const inner = fieldOf(answers, field);
  if (inner === undefined) return object;
  const fields = v.parse(anyObject, object);
  const value = fields[field];
  const expandInner = (found: unknown) => expandPath(account, v.parse(anyObject, found), inner, rest);
  if (Array.isArray(value)) return { ...fields, [field]: value.map(expandInner) };
  const found = typeof value === 'object' && value !== null ? value : lookUp(account, inner, fields, value);
  return { ...fields, [field]: found ? expandInner(found) : null };
}

/** The object of this id; or the list of a charge's refunds, of which the charge contains no ids. */
function lookUp(account: Account, { kind, many: isList }: Answers, owner: { id?: unknown }, id: unknown) {
  if (isList) return refundsOf(account, String(owner.id));
  const key = String(id);
  const objects: Record<Kind, object | undefined> = {
    charge: account.charges.get(key),
    customer: account.customers.get(key) ?? account.deletedCustomers.get(key),
    dispute: account.disputes.get(key),
    payment_intent: account.paymentIntents.get(key),
    payment_method: account.paymentMethods.get(key)?.paymentMethod,
    product: account.products.get(key),
    refund: account.refunds.get(key),
    setup_intent: account.setupIntents.get(key),
  };
  return objects[kind];
}

/** The ten newest refunds. https://docs.stripe.com/api/charges/object#charge_object-refunds */
function refundsOf(account: Account, charge: string): object {
  const refunds = [...account.refunds.values()].filter((refund) => refund.charge === charge).toReversed();
  const data = refunds.slice(0, LISTED_REFUNDS);
  const has_more = refunds.length > LISTED_REFUNDS;
  return { object: 'list', data, has_more, url: `/v1/charges/${charge}/refunds` };
}
