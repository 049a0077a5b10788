import { confirmEndsAt } from '#server/links/own-page-links.ts';
import { HERSELF } from '#server/record/acts.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { type SomeLetters, sampleFacts } from './letter-kind.ts';
import { isNews } from './record-facts.ts';
import { button, factTable } from './render/letter.ts';
import { pageUrlOf } from './render/links.ts';
import { fullName, isolate, safeName } from './render/names.ts';
import { momentOf } from './render/parts.ts';

/** The letters about her address, the only ones that do not go to her current address. */
export const addressLetters = {
  /** To a new address that she asked for: the link that confirms it, made when the letter is rendered. */
  'confirm-address': {
    name: 'Please confirm your new address',
    subject: ({ facts }) => `Is this your new e-mail address? ${facts.title}`,
    names: 'none',
    now(record, now) {
      const { addressAsked, deposit } = record;
      const until = confirmUntil(record);
      if (deposit !== 'paid' || !addressAsked || !until || now >= until) return undefined;
      return { to: addressAsked.to, at: addressAsked.at.toISOString() };
    },
    says(letter, { facts, timetable }, context) {
      const { paymentIntentId: deposit, linksEpoch: epoch = 0, to } = letter;
      const asked = { to, at: new Date(letter.at) };
      const href = context.links.confirmUrl({ deposit, epoch }, asked);
      const until = tellMoment(confirmEndsAt(asked), timetable, letter.timeZone);
      return {
        preheader: 'One press confirms it.',
        title: 'Please confirm your new address',
        blocks: [
          `Somebody asked, on the page of a registration for ${facts.title}, that our letters go to this address from now on. If that was you, please confirm it. The link opens a page with one button.`,
          button('Confirm this address', href),
          `The link can be used until ${until}. Our letters go to the address that we have until you confirm this one.`,
          'If that was not you, there is nothing to do: without that press nothing changes.',
        ],
        reason: `You received this e-mail because your address was entered on the page of a registration at ${pageUrlOf(context)}.`,
      };
    },
    samples: (edition) => ({ usual: { ...sampleMoment(edition), to: 'new@example.org' } }),
  },

  /**
   * To her previous address: which registration it was about, when it was changed and by whom, and what to do.
   */
  'address-changed': {
    name: 'Your letters go to another address now',
    subject: ({ facts }) => `Your letters go to another address now: ${facts.title}`,
    now(record, now) {
      const { registrant, deposit, corrections } = record;
      const { was: to, at, by } = corrections.email ?? {};
      if (deposit !== 'paid' || !to || !at || !isNews(at, 30, now)) return undefined;
      if (isSameAddress(to, registrant.email)) return undefined;
      return { to, at: at.toISOString(), by: by === HERSELF ? 'herself' : 'the office' };
    },
    says: (letter, edition, context) => ({
      preheader: 'If that was not you, please tell the office.',
      title: 'Your letters go to another address now',
      blocks: [
        `The e-mail address of a registration for ${edition.facts.title} was changed. This is the last letter to the previous address.`,
        factTable([
          { label: 'Name', value: isolate(safeName(fullName(letter))) },
          { label: 'Reference', value: letter.paymentIntentId },
          { label: 'New address', value: isolate(masked(letter.email)) },
          { label: 'Changed', value: momentOf(letter.at, letter, edition) },
          { label: 'How', value: letter.by === 'herself' ? 'On your own page' : 'By the retreat office' },
        ]),
      ],
      questions: `If that was not you, please call the office at ${context.office.phone}, or write to ${context.office.email}, and we will put it right. The links to your page in earlier letters no longer work.`,
      reason: `You received this e-mail because the letters about a registration at ${pageUrlOf(context)} went to this address.`,
    }),
    samples(edition) {
      const changed = { ...sampleMoment(edition), to: 'old@example.org' };
      return {
        usual: { ...changed, by: 'herself' },
        'by-the-office': { ...changed, by: 'the office' },
      };
    },
  },
} satisfies SomeLetters;

const sampleMoment = (edition: Edition) => ({ at: sampleFacts(edition).earlier });

/** Until when the requested address can be confirmed; undefined where there is none to confirm. */
export function confirmUntil({ addressAsked, registrant }: RegistrationRecord): Date | undefined {
  if (!addressAsked || isSameAddress(addressAsked.to, registrant.email)) return undefined;
  return confirmEndsAt(addressAsked);
}

/** Compares two e-mail addresses, ignoring case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `w•••@e•••.org`: enough for the owner to recognize it, too little to write to it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const ending = domain.slice(domain.lastIndexOf('.') + 1);
  const [first = ''] = address;
  const [initial = ''] = domain;
  return `${first}•••@${initial}•••.${ending}`;
}
