import { type IRouter, json, type Request, type RequestHandler } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireJson } from '#server/http/require-json.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { keysOfDetails } from '#server/registration/key-of-details.ts';
import { countUnread, invalidRequest, looksAutomated } from '#server/registration/read-form.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import { fieldErrors, IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema } from '#shared/registration.ts';
import { JOIN_WAITING_PATH, type JoinWaitingResponse, joinWaitingRequestSchema } from '#shared/waiting.ts';
import { type JoinDependencies, type JoinSubmit, joinWaitingList, writeToWaiting } from './join.ts';

export interface JoinRouteDependencies extends JoinDependencies {
  limits: Pick<RegistrationLimits, 'admitNew' | 'countRequest'>;
  publicUrl: string;
  /** Known to this site alone; keys are derived from it. */
  secret: string;
  /** Lets requests pass while registration is open. */
  requireOpen: RequestHandler;
}

/** `POST /joinWaitingList`: JSON in, JSON out. It counts for the same limits as registrations. */
export function addJoinRoute(
  app: IRouter,
  { publicUrl, secret, requireOpen, ...dependencies }: JoinRouteDependencies,
): void {
  const { limits, mailQueue, now } = dependencies;
  const keyOf = keysOfDetails(secret, now);
  const read = (req: Request, address: string): JoinSubmit | AppError => {
    const request = v.safeParse(joinWaitingRequestSchema, req.body);
    if (!request.success) return invalidRequest(fieldErrors(joinWaitingRequestSchema, req.body));
    const key = v.safeParse(v.optional(idempotencyKeySchema), req.get(IDEMPOTENCY_KEY_HEADER));
    if (!key.success) return invalidRequest({}, `The ${IDEMPOTENCY_KEY_HEADER} header is malformed`);
    const { website, ...joining } = request.output;
    if (website !== '') return looksAutomated();
    const details = { ...joining, package: JOIN_WAITING_PATH, somebodyElse: false };
    return { ...joining, address, key: key.output ?? keyOf(details, address).value };
  };
  const join: RequestHandler = async (req, res) => {
    const address = visitorAddress(req);
    const submit = read(req, address);
    if (submit instanceof AppError) {
      await limits.countRequest({ address });
      throw submit;
    }
    const id = await joinWaitingList(submit, dependencies);
    const answer: JoinWaitingResponse = { confirmationMail: mailQueue.isReady() ? 'queued' : 'later' };
    res.json(answer);
    await writeToWaiting(id, dependencies);
  };
  const before = [requireSameOrigin(publicUrl), requireJson, countUnread(json({ limit: '16kb' }), limits)];
  app.post(JOIN_WAITING_PATH, ...before, requireOpen, join);
}
