import * as v from 'valibot';
import { ParameterError } from './answer.ts';

const MAX_METADATA_KEYS = 50;

/** Text that may not be empty. */
export const text = (maxLength: number) =>
  v.pipe(v.string(), v.nonEmpty('Invalid string: it is empty'), v.maxLength(maxLength));

/** The id of an object. */
export const id = text(255);

/** A parameter which an empty string unsets. */
export const clearable = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => (value === '' ? null : value)),
    v.nullable(schema),
  );

/** An e-mail address. */
export const email = v.pipe(v.string(), v.rfcEmail('Invalid email address'), v.maxLength(512));

/** A whole number in decimal digits. */
export const integer = v.pipe(v.string('Invalid integer'), v.digits('Invalid integer'), v.transform(Number));

/** `true` or `false`. */
export const boolean = v.pipe(
  v.picklist(['true', 'false'], 'Invalid boolean'),
  v.transform((value) => value === 'true'),
);

/** Key-value pairs; '' as a value deletes the key. https://docs.stripe.com/api/metadata */
export const metadata = v.record(
  v.pipe(v.string(), v.maxLength(40)),
  v.pipe(v.string(), v.maxLength(500)),
  'Invalid metadata',
);

/** The metadata after an update. Throws when it grows beyond Stripe's limit. */
export function mergeMetadata(
  current: Readonly<Record<string, string>>,
  update: v.InferOutput<typeof metadata> | undefined,
): Record<string, string> {
  const merged = Object.entries({ ...current, ...update }).filter(([, value]) => value !== '');
  if (merged.length > MAX_METADATA_KEYS) {
    throw new ParameterError(`Metadata can have up to ${MAX_METADATA_KEYS} keys`, { param: 'metadata' });
  }
  return Object.fromEntries(merged);
}

/** Parses form values by an operation's schema. Throws what Stripe answers to the first invalid parameter. */
export function parseParameters<Schema extends v.GenericSchema>(
  schema: Schema,
  raw: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, raw);
  if (result.success) return result.output;
  throw parameterError(result.issues.find(isUnknownKey) ?? result.issues[0]);
}

function isUnknownKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

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
