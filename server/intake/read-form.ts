import { createHmac } from 'node:crypto';
import { json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { comparableContact, type HeldFrom, type RegistrationKey } from '#server/registration/registration.ts';
import { AppError } from '#server/web/app-error.ts';
import { requireJson, requireSameOrigin } from '#server/web/request-guards.ts';
import { visitorAddress, visitorNetwork } from '#server/web/visitor-address.ts';
import {
  type Contact,
  fieldErrors,
  IDEMPOTENCY_KEY_HEADER,
  idempotencyKeySchema,
  messages,
} from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';

/** Counts, for its sender, each request that cannot be read. */
type Counting = Pick<RegistrationLimits, 'countRequest'>;

/** Only JSON from pages of this site passes. */
export function beforeForm(publicUrl: string, limits: Counting): RequestHandler[] {
  const parse = json({ limit: '16kb' });
  const parseOrCount: RequestHandler = async (req, res, next) => {
    const error = await new Promise<unknown>((resolve) => parse(req, res, resolve));
    if (error) await limits.countRequest({ address: visitorAddress(req) });
    next(error);
  };
  return [requireSameOrigin(publicUrl), requireJson, parseOrCount];
}

type FormSchema = v.GenericSchema<unknown, { website: string }> & { entries: v.ObjectEntries };

/** @throws {AppError} when it cannot be read, which counts for its sender */
export async function readForm<Schema extends FormSchema>(schema: Schema, req: Request, limits: Counting) {
  const read = parseForm(schema, req);
  if (!(read instanceof AppError)) return read;
  await limits.countRequest({ address: visitorAddress(req) });
  throw read;
}

function parseForm<Schema extends FormSchema>(schema: Schema, req: Request) {
  const request = v.safeParse(schema, req.body);
  if (!request.success) return invalidRequest(fieldErrors(schema, req.body));
  const key = v.safeParse(v.optional(idempotencyKeySchema), req.get(IDEMPOTENCY_KEY_HEADER));
  if (!key.success) return invalidRequest({}, `The ${IDEMPOTENCY_KEY_HEADER} header is malformed`);
  const { website, ...form } = request.output;
  // The refusal is not permanent: an extension of the visitor's browser may have filled in the hidden field.
  if (website !== '')
    return new AppError({ code: 'looks_automated', status: 409, message: messages.looksAutomated });
  return { form, key: key.output };
}

function invalidRequest(fields: Record<string, string>, message: string = messages.checkDetails): AppError {
  return new AppError({ code: 'invalid_request', status: 400, message, fields });
}

/** How long the same call counts as the same registration. */
const WINDOW_MS = 10 * 60 * 1000;

interface Details extends Contact {
  package: string;
}

function hmacOf(secret: string, content: readonly unknown[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(content)).digest('hex');
}

/** Names from where a place is held, without saying it. */
export const heldFrom = (secret: string, req: Request): HeldFrom => ({
  address: hmacOf(secret, ['held-by', visitorAddress(req)]),
  network: hmacOf(secret, ['held-from', visitorNetwork(req)]),
});

/**
 * Makes the key of a registration from its details, the visitor's address and ten minutes of time, for callers who send
 * no Idempotency-Key (specification, section 7): the same call repeated is the same registration. Without the secret,
 * nobody can make another visitor's key; the same details from another address give another key.
 * @param secret known to this site alone
 */
export function keysOfDetails(secret: string, now: () => Date) {
  return (details: Details, address: string): RegistrationKey => {
    const content = [...comparableContact(details), details.package, address];
    const keyOf = (window: number) => hmacOf(secret, ['registration-key', ...content, window]);
    const window = Math.floor(now().getTime() / WINDOW_MS);
    return { value: keyOf(window), before: keyOf(window - 1) };
  };
}
