import { isDeepStrictEqual } from 'node:util';
import type { Request, Response } from 'express';
import { cleanName, withProbableNames } from '#server/letters/render/names.ts';
import {
  type Admission,
  comparableName,
  type Deposit,
  type Links,
  type RegistrationKey,
  refused,
  registrationIdOf,
  type Token,
  usableKey,
  type WaitingRecord,
} from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { continueDeposit, createDeposit, type DepositPayment } from '#server/stripe/deposit.ts';
import { cancelUnpaid } from '#server/stripe/forget.ts';
import { cookieOf } from '#server/web/cookies.ts';
import type { Contact } from '#shared/registration.ts';

export type Taking = ReturnType<typeof createTaking>;

/** The cookie of a browser that opened an offer. It contains everything: the server stores nothing. */
export function createTaking(links: Pick<Links, 'format' | 'read'>, publicUrl: string, now: () => Date) {
  const cookie = cookieOf('offer', publicUrl.startsWith('https:'));
  return {
    open(res: Response, offer: Token): void {
      const text = links.format({ ...offer, scope: 'taking' });
      cookie.set(res, text, offer.expiresAt.getTime() - now().getTime());
    },
    /** Undefined without a cookie that this site made and that has not expired. */
    read(req: Request): Token | undefined {
      const text = cookie.read(req);
      return text === undefined ? undefined : links.read(text, now(), 'taking');
    },
    close: cookie.clear,
  };
}

export interface OfferedPayment extends DepositPayment {
  /** To whom the place was offered, if the deposit is somebody else's: her first name and an initial. */
  offeredTo?: string;
}

interface TakingDependencies extends Admission {
  payments: Pick<Payments, 'ask' | 'database'>;
}

/**
 * Makes the deposit of an offer, or finds the one made before: so anyone else who opens the link, in another tab or on
 * another device, continues with the same payment, which succeeds once.
 * @param key the same for the same offer, in whichever browser it is taken up
 * @throws {AppError} when the offer was taken up and paid, has ended, or was taken back
 */
export async function registerWithOffer(
  deposit: Deposit,
  offer: Token,
  key: RegistrationKey,
  { payments, places, waitingList }: TakingDependencies,
): Promise<OfferedPayment> {
  const { contact, facts } = deposit;
  const entry = await waitingList.findOffered(offer);
  if (typeof entry === 'string') throw refused(`offer_${entry}`);
  if (entry.edition.facts.id !== facts.id) throw refused('offer_over');
  const begun = await waitingList.findBegun(entry.id);
  const continued = begun ? await payments.ask(continueDeposit, begun.id, deposit) : 'closed';
  if (continued === 'paid') throw refused('offer_used');
  if (continued !== 'closed') return { ...continued, ...offeredTo(entry, contact) };
  // After a payment was closed, such as after too many declined cards, the next one needs another key.
  const value = await payments.database.read((transaction) => usableKey(transaction, key.value));
  const holder = { own: [registrationIdOf(value)], offer: entry.id };
  const payment = await payments.ask(createDeposit, { ...deposit, offer: entry.id }, { value }, (record) =>
    places.hold(facts, holder, record),
  );
  const now = await waitingList.find(entry.id);
  if (isDeepStrictEqual(now?.offer, entry.offer)) return { ...payment, ...offeredTo(entry, contact) };
  // It was taken back meanwhile, which closes only a payment that was on record before; or another browser has paid.
  const outcome = await payments.ask(cancelUnpaid, payment.registration);
  throw refused(outcome === 'paid' ? 'offer_used' : 'offer_over');
}

/** A name that may be a message is not shown: it was typed by whoever joined the list. */
function offeredTo({ registrant }: WaitingRecord, contact: Contact): Pick<OfferedPayment, 'offeredTo'> {
  const isHers =
    comparableName(registrant) === comparableName(contact) &&
    registrant.email.toLowerCase() === contact.email.toLowerCase();
  if (isHers) return {};
  const { firstName, lastName } = withProbableNames(registrant);
  const [initial = ''] = cleanName(lastName);
  return { offeredTo: firstName ? `${cleanName(firstName)} ${initial}` : 'somebody else' };
}
