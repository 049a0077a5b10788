import { json, type RequestHandler, urlencoded } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson, requireSameOrigin } from '#server/http/request-guards.ts';
import { privately } from '#server/http/security-headers.ts';
import { messages } from '#shared/registration.ts';

/** The token that her page contains and each press carries, see `OwnPageLinks.pressToken`. */
export const pressToken = v.pipe(v.string(), v.maxLength(300));

/** The handlers before a press of a form, which needs no script. */
export function beforeForm(publicUrl: string, limit: '2kb' | '32kb'): RequestHandler[] {
  const sameOrigin = requireSameOrigin(publicUrl, { allowNullOrigin: true });
  return [privately, sameOrigin, urlencoded({ extended: false, limit })];
}

/** Those before a press of her page's script. */
export function beforeJson(publicUrl: string): RequestHandler[] {
  return [privately, requireSameOrigin(publicUrl), requireJson, json({ limit: '2kb' })];
}

/** What she types to prove that it is she. */
export const proof = v.pipe(v.string(), v.maxLength(50));

/** A form field with US cents. */
export const centsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/));

/**
 * Reads what was sent with a press.
 * @throws {AppError} when the body is not what her page sends
 */
export function readPress<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, body);
  if (read.success) return read.output;
  throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
}
