import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import {
  CREATE_PAYMENT_PATH,
  type CreatePaymentRequest,
  createPaymentResponseSchema,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  RECORD_CONSENT_PATH,
} from '#shared/registration.ts';

/** Only so that nothing hangs. */
export const TIMEOUT_MS = 60_000;

/** What one request to the endpoint got. */
export interface Answered {
  status: number;
  text: string;
  /** The error code of a refusal. */
  code: string | undefined;
  /** Of the payment; '' for a refusal. */
  secret: string;
  lettersQueued: boolean;
  ms: number;
}

/** Overrides of the default: a new visitor at an IP address of her own. */
export interface Visit {
  /** Her IP address, as the proxy reports it. */
  from?: string;
  key?: string;
}

let visitors = 0;

/** An IP address that no visitor had. */
export function newAddress(): string {
  visitors += 1;
  return `198.18.${visitors >> 8}.${visitors & 255}`;
}

/** The same for IPv6, in a network of its own. */
export function newAddressOfIpv6(): string {
  visitors += 1;
  return `2001:db8:${visitors.toString(16)}::1`;
}

/** The details of a new visitor, with an e-mail address of her own; `changes` override them. */
export function somebody(changes: Partial<CreatePaymentRequest> = {}): CreatePaymentRequest {
  return {
    firstName: 'Quillfeather',
    lastName: 'Marrowby',
    email: `guest-${randomBytes(6).toString('hex')}@visitors.example`,
    phoneNumber: '+1 (555) 555-0142',
    package: facts.retreatPackage.id,
    ...changes,
  };
}

/** Submits the contact step. */
export async function visit(
  siteUrl: string,
  details: CreatePaymentRequest,
  { from = newAddress(), key = newKey() }: Visit = {},
): Promise<Answered> {
  const startMs = performance.now();
  const response = await fetch(new URL(CREATE_PAYMENT_PATH, siteUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [IDEMPOTENCY_KEY_HEADER]: key, 'X-Forwarded-For': from },
    body: JSON.stringify(details),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const ms = performance.now() - startMs;
  const payment = readAs(createPaymentResponseSchema, text);
  return {
    status: response.status,
    text,
    code: readAs(errorResponseSchema, text)?.error.code,
    secret: payment?.paymentIntentClientSecret ?? '',
    lettersQueued: payment?.confirmationMail === 'queued',
    ms,
  };
}

/** Overrides of the default: the consent that the page sends for a payment, from an IP address of its own. */
export interface ConsentChanges extends Pick<Visit, 'from'> {
  /** Fields in addition to, or instead of, those that the page sends. */
  body?: Readonly<Record<string, unknown>>;
  /** The whole body, instead of all fields. */
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Sends a consent to the current terms. */
export async function agree(
  siteUrl: string,
  paymentIntentClientSecret: string,
  { from = newAddress(), body, text, headers }: ConsentChanges = {},
): Promise<Pick<Answered, 'status' | 'code'>> {
  const { version, digest } = terms;
  const response = await fetch(new URL(RECORD_CONSENT_PATH, siteUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from, ...headers },
    body: text ?? JSON.stringify({ paymentIntentClientSecret, version, digest, ...body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, code: readAs(errorResponseSchema, await response.text())?.error.code };
}

/**
 * Like `visit`, but sends the request again if the letters could not be queued in time: the second request
 * queues them.
 */
export async function visitForLetters(siteUrl: string, details: CreatePaymentRequest): Promise<Answered> {
  const key = newKey();
  const answered = await visit(siteUrl, details, { key });
  return answered.lettersQueued || answered.status !== 200 ? answered : visit(siteUrl, details, { key });
}

/** The intent that a client secret opens. */
export function intentOf(secret: string): string {
  return secret.slice(0, secret.indexOf('_secret_'));
}

function newKey(): string {
  return randomBytes(16).toString('hex');
}

function readAs<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): v.InferOutput<Schema> | undefined {
  const answer = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  return answer.success ? answer.output : undefined;
}
