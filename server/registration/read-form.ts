import { json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { fieldErrors, IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema, messages } from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';

/** Counts, for its sender, each request that cannot be read. */
type Counting = Pick<RegistrationLimits, 'countRequest'>;

/** What comes before the handler of a form: only JSON from pages of this site passes. */
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

/**
 * A form, and the key that the browser gave it.
 * @throws {AppError} when it cannot be read, which counts for its sender
 */
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
