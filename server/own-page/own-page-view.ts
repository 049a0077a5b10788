import { type Announcements, recordingsOf, roomOpenFor } from '#server/letters/announcements.ts';
import { confirmUntil } from '#server/letters/holder-letters.ts';
import {
  balanceTermsOf,
  canAnswer,
  hasPlace,
  isUnreachable,
  type RegistrationRecord,
  receivedCentsOf,
  reductionOf,
  statement,
  summary,
  termsOfText,
} from '#server/registration/registration.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { asAgreed, isPayment, isRepayment } from '#shared/content/tuition.ts';
import { withoutExtension } from '#shared/mail-and-phone.ts';
import { contactIn } from '#shared/registration.ts';

type Beside = Pick<OwnPageView, 'mayAct' | 'token' | 'told' | 'secondFactor' | 'letters'> & {
  /** What the office has announced about her edition; absent on a page that shows nothing of it. */
  announced?: Announcements;
};

export function viewOf(
  record: RegistrationRecord,
  now: Date,
  { announced = {}, ...beside }: Beside,
): OwnPageView {
  const { id, edition, disputed, addressAsked } = record;
  const { phoneNumber, ...contact } = contactIn(record.registrant);
  const { state, plan, handOver, canHandOverUntil, card, offer } = summary(record, now);
  if (state.kind === 'begun' || state.kind === 'lapsed' || state.kind === 'closed')
    throw new RangeError(`${id} is ${state.kind}: it has no page`);
  const lines = statement(record);
  const openFor = roomOpenFor(record, now);
  const until = confirmUntil(record);
  const terms = record.agreement && termsOfText(edition, record.agreement);
  return {
    ...beside,
    id,
    edition: asAgreed(edition, balanceTermsOf(record)),
    now,
    disputed,
    registrant: {
      ...contact,
      maskedPhone: maskPhone(phoneNumber),
      timeZone: record.registrant.timeZone,
    },
    askedAddress: addressAsked && until && now < until ? maskAddress(addressAsked.to) : undefined,
    state,
    handOver,
    canHandOverUntil,
    plan,
    card,
    offer,
    unreachable: isUnreachable(record),
    questions: questionsOf(record, now),
    payments: lines.filter(isPayment),
    repayments: lines.filter(isRepayment),
    reduced: reductionOf(record.decisions),
    receivedCents: receivedCentsOf(record),
    termsPath: terms && termsPathOf(edition.facts, terms),
    room: openFor && { openFor, ...(announced.room && { url: announced.room.url }) },
    recordings: recordingsShown(record, now, announced),
  };
}

function recordingsShown(
  record: RegistrationRecord,
  now: Date,
  { recordings }: Announcements,
): OwnPageView['recordings'] {
  const are = recordings && recordingsOf(record, now);
  return are && (are === 'hers' ? { url: recordings.url } : {});
}

function questionsOf(record: RegistrationRecord, now: Date): OwnPageView['questions'] {
  const { edition } = record;
  const asked = hasPlace(record) ? (edition.questions?.items ?? []) : [];
  if (record.answers.length === 0 && asked.length === 0) return undefined;
  return { asked, isOpen: canAnswer(record, now), answers: record.answers };
}

/** How many digits of a number stay hidden at least, and its extension: the last four are a proof of identity. */
const HIDDEN = 7;
/** The country code and the area code. */
const MOST_SHOWN = 4;

/** `+1 (555) 555-0142` -> `+1 (555) •••-••••`. */
export function maskPhone(phoneNumber: string): string {
  const digits = withoutExtension(phoneNumber).replaceAll(/\D/g, '').length;
  const shown = Math.max(0, Math.min(MOST_SHOWN, digits - HIDDEN));
  let place = 0;
  return phoneNumber.replaceAll(/\d/g, (digit) => {
    place += 1;
    return place <= shown ? digit : '•';
  });
}

/** `wilma@example.org` -> `w…@example.org`: someone with an old link does not learn the new address. */
function maskAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
