import type { Arbitrary } from 'fast-check';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import { contactOf as personWith } from '#scripts/world/people.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { CREATE_PAYMENT_PATH, type CreatePaymentRequest } from '#shared/registration.ts';

/** A marker in hostile addresses. No answer may repeat it; the log may, because it contains paths. */
export const ECHO = 'quuxecho';

/** A marker in place of personal values, one of `VISITOR_MARKS`. Neither an answer nor the log may contain it. */
export const PERSONAL = 'quillfeather';

/** Requests of one kind: what is sent, down to its bytes, and which statuses may come back. */
export interface Kind {
  name: string;
  /** The listener; the site's by default. */
  to?: 'ops';
  sends: Arbitrary<Uint8Array>;
  allowed: readonly number[];
}

/** A running site behind one proxy, whose limits for one visitor are the default ones. */
export interface Site extends Stage {
  /** The payments of which an answer has told a visitor. */
  told: Set<string>;
  /** The addresses that registrations had, also for a while. */
  typed: Set<string>;
}

export function noteTold({ told }: Site, answer: string): void {
  for (const [, payment = ''] of answer.matchAll(/(pi_\w+)_secret_/g)) told.add(payment);
}

let visitors = 0;

/** An IP address that no visitor had, as the proxy in front of the site tells it. */
function newAddress(): string {
  visitors += 1;
  return `198.${18 + (visitors >> 16)}.${(visitors >> 8) & 255}.${visitors & 255}`;
}

/** A request of a visitor with an address of her own, unless a header says another; the server closes after it. */
export function requestOf(
  method: string,
  path: string,
  headers: readonly string[],
  body: string | Uint8Array = '',
) {
  const content = Buffer.from(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers];
  if (!headers.some((line) => line.startsWith('X-Forwarded-For')))
    lines.push(`X-Forwarded-For: ${newAddress()}`);
  if (content.length > 0) lines.push(`Content-Length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

export const JSON_TYPE = 'Content-Type: application/json';

/** A request with a body to an endpoint; by default a registration. */
export const post = (
  body: string | Uint8Array,
  headers: readonly string[] = [JSON_TYPE],
  path: string = CREATE_PAYMENT_PATH,
): Uint8Array => requestOf('POST', path, headers, body);

/** Details that are accepted, of somebody with an e-mail address of her own. */
export const contactOf = (name: string): CreatePaymentRequest => ({
  ...personWith(0),
  email: `${name}@visitors.example`,
  package: facts.retreatPackage.id,
});

/** A consent to the current terms, for a payment that does not exist. */
export const consent = {
  paymentIntentClientSecret: `pi_${PERSONAL}_secret_${PERSONAL}`,
  version: terms.version,
  digest: terms.digest,
};
