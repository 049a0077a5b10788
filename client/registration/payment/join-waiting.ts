import * as v from 'valibot';
import { IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';
import {
  JOIN_WAITING_PATH,
  type JoinWaitingRequest,
  type JoinWaitingResponse,
  joinWaitingResponseSchema,
} from '#shared/waiting.ts';
import { inTurn, refusalIn } from './create-payment.ts';
import { postUntilAnswered } from './http-client.ts';

/** As long as a registration may take. */
const TIMEOUT_MS = 60_000;

/**
 * Puts a visitor on the waiting list; idempotent for the same e-mail address.
 * @throws {RegistrationRefused} when the server refuses
 * @throws {HttpError} when no answer came
 */
export async function joinWaiting(request: JoinWaitingRequest, key: string): Promise<JoinWaitingResponse> {
  try {
    const headers = { [IDEMPOTENCY_KEY_HEADER]: key };
    const answer = await inTurn(() =>
      postUntilAnswered(JOIN_WAITING_PATH, { headers, json: request, timeoutMs: TIMEOUT_MS }),
    );
    return v.parse(joinWaitingResponseSchema, answer);
  } catch (error) {
    throw refusalIn(error) ?? error;
  }
}
