import { type RequestHandler, urlencoded } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/web/app-error.ts';
import { requireSameOrigin } from '#server/web/request-guards.ts';
import { privately } from '#server/web/security-headers.ts';
import { messages } from '#shared/registration.ts';
import { currentTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';

/** The token that her page contains and each press carries, see `Links.pressToken`. */
export const pressToken = v.pipe(v.string(), v.maxLength(300));

export const proof = v.pipe(v.string(), v.maxLength(50));

export const proofSchema = v.object({ token: pressToken, proof });

export const chosenZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check(isKnownTimeZone),
  v.transform(currentTimeZone),
);

/** US cents. */
export const centsField = v.pipe(v.string(), v.regex(/^\d{1,9}$/));

export function beforeForm(publicUrl: string): RequestHandler[] {
  const sameOrigin = requireSameOrigin(publicUrl, { allowNullOrigin: true });
  return [privately, sameOrigin, urlencoded({ extended: false, limit: '32kb' })];
}

export function readPress<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, body);
  if (read.success) return read.output;
  throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
}
