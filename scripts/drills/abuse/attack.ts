import type { Arbitrary } from 'fast-check';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

/** A marker in hostile URLs. No answer may repeat it; the log may, because it contains URLs. */
export const ECHO = 'quuxecho';

/**
 * A marker in place of personal values, in queries, headers and bodies. Neither an answer nor the log may
 * contain it.
 */
export const PERSONAL = 'quuxperson';

/** What a client does after it has sent its request. */
export type Ending = 'reads' | 'stops-sending' | 'hangs-up';

/** One hostile request, down to its bytes. */
export interface Attack {
  bytes: string | Uint8Array;
  /** `reads` by default. */
  ending?: Ending;
}

/** The outcome of an attack: a status, or a connection that was closed without one. */
export type Outcome = number | 'closed';

/** Attacks of one kind, and the outcomes that are allowed for them. */
export interface AttackKind {
  name: string;
  target: 'site' | 'ops';
  allowed: readonly Outcome[];
  attacks: Arbitrary<Attack>;
}

interface Request {
  method?: string;
  path?: string;
  headers?: readonly string[];
  body?: string | Uint8Array;
}

/** A request after which the server closes the connection; its length is right unless a header says otherwise. */
export function requestBytes({ method = 'GET', path = '/', headers = [], body = '' }: Request): Uint8Array {
  const content = Buffer.from(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers];
  if (content.length > 0 && !headers.some(saysLength)) lines.push(`Content-Length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

function saysLength(header: string): boolean {
  return /^(content-length|transfer-encoding):/i.test(header);
}

export const JSON_TYPE = 'Content-Type: application/json';
export const KEY = 'Idempotency-Key: 0123456789abcdef0123456789abcdef';

/** Details that are accepted. */
export const contact = {
  firstName: PERSONAL,
  lastName: PERSONAL,
  email: `a@${PERSONAL}.example`,
  phoneNumber: '5550142',
  package: facts.retreatPackage.id,
};

/** A consent to the current terms, for a payment that does not exist. */
export const consent = {
  paymentIntentClientSecret: `pi_${PERSONAL}_secret_${PERSONAL}`,
  version: terms.version,
  digest: terms.digest,
};

/** A request to an endpoint; by default to the registration endpoint. */
export function post(
  body: string | Uint8Array,
  headers: readonly string[] = [JSON_TYPE, KEY],
  path: string = CREATE_PAYMENT_PATH,
): Uint8Array {
  return requestBytes({ method: 'POST', path, headers, body });
}
