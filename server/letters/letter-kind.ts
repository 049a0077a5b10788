import {
  addressDigest,
  type EndedLetter,
  type Notice,
  type Registrant,
  type RegistrationRecord,
  shortDigest,
  type WaitingRecord,
} from '#server/registration/registration.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import type { Letter, Passage } from './render/letter.ts';
import { type Names, withProbableNames } from './render/names.ts';
import { type MessageContext, type Writing, writingFor } from './render/parts.ts';

export interface Said {
  /** Without it, its title and the retreat's. */
  subject?: string;
  title: string;
  blocks: readonly Passage[];
  /** Whom to ask, and why it came, where that is not what most letters say. */
  questions?: string;
  reason?: string;
  leave?: Letter['leave'];
  attachments?: readonly Attachment[];
  /** The first name that a letter to the office greets, which is written as if to her. */
  greets?: string;
}

export interface Attachment {
  filename: string;
  content: string;
  contentType: string;
  encoding?: 'base64';
  cid?: string;
}

/** A letter that is true at a moment, sent or not. */
export interface Due {
  /** It is another letter if this differs, and the same one otherwise; without it, `at` is its key. */
  key?: readonly (string | number | Date | undefined)[];
  /** In place of a key and the address: the whole version. */
  version?: string;
  /** When what it tells happened: what was before she got the place is not hers to be told. */
  at?: Date;
  /** To whom it goes, if not to her present address; with names, it is another person. */
  to?: { email: string } & Partial<Names>;
  /** The charge that it announces: nothing is charged without. */
  notice?: Omit<Notice, 'to'>;
  asksToPay?: boolean;
  says(w: Writing): Said;
}

export interface AnnouncedToAll {
  scheduleTold?: { revision: number; at: Date };
  recordings?: { at: Date };
}

interface Traits {
  /** How the office and her page list it. */
  name: string;
  /** Absent for letters to her; `elsewhere` is an address that is not hers now, but was, or may become hers. */
  to?: 'office' | 'elsewhere';
  /** It asks for money, or says some is not paid: it waits for catch-up, and while a payment processes. */
  asksToPay?: true;
  /** It comes due for everybody at once: letters to one person go before it. */
  toAll?: true;
  /** It tells when her card will be charged, and how much: without it nothing is charged. */
  announcesCharge?: true;
  /** For an unconfirmed address: its holder must not learn names, nor get a message disguised as one. */
  names?: 'none' | 'probable ones';
}

type MaybeDue = readonly Due[] | Due | undefined;
export const duesIn = (due: MaybeDue): readonly Due[] => [due ?? []].flat();

export interface RegistrationLetter extends Traits {
  about?: undefined;
  /** For so many days after `at` of what is due it is news; without this or without `at`, as long as it is true. */
  newsDays?: number;
  /** When it may begin or cease to be true, besides the moments of its edition: the worker looks then. */
  moments?(record: RegistrationRecord): readonly (Date | undefined)[];
  due(record: RegistrationRecord, now: Date, announced: AnnouncedToAll): MaybeDue;
}
export interface WaitingLetter extends Traits {
  about: 'waiting';
  due(entry: WaitingRecord, now: Date): MaybeDue;
}
export interface RequestedLetter extends Traits {
  about: 'request';
}
export type LetterKind = RegistrationLetter | WaitingLetter | RequestedLetter;
export type LetterKinds<Kind extends LetterKind = RegistrationLetter> = Readonly<Record<string, Kind>>;

/** What identifies a letter: it is queued and recorded once. */
export interface OwedLetter {
  /** Of its job on the queue, and in its Message-ID. */
  id: string;
  kind: string;
  /** The registration, the entry of the waiting list or the edition that it is about. */
  subject: string;
  version: string;
  /** To whom; empty for the office. */
  address: string;
}

export interface Mail extends OwedLetter {
  edition: Edition;
  /** Whom it greets, or whom a reply of the office goes to; nobody for what is about an edition. */
  person?: Registrant | undefined;
  notice?: Notice | undefined;
  asksToPay: boolean;
  toOffice: boolean;
  isAboutWaiting: boolean;
  /** What it said is kept, for her to read again. */
  isKept: boolean;
  write(context: MessageContext): Said & { subject: string };
}

export function owedLetter(
  kind: string,
  subject: string,
  address: string,
  { at, key = at ? [at] : [], version }: Pick<Due, 'at' | 'key' | 'version'> = {},
): OwedLetter {
  const parts = key.map((part) => (part instanceof Date ? part.toISOString() : (part ?? '')));
  const digested = [...(address ? [address.toLowerCase()] : []), ...parts].join(' ');
  const named = version ?? (digested ? shortDigest(digested) : 'office');
  return { id: `${kind}-${subject}-${named}`, kind, subject, version: named, address };
}

/** The record of a registration, an entry of the waiting list, or an edition with its id. */
interface About {
  id: string;
  edition: Edition;
  registrant?: Registrant;
  agreed?: BalanceTerms | undefined;
}

export function mailOf(name: string, kind: LetterKind, about: About, due: Due): Mail {
  const { id, edition, registrant: person, agreed } = about;
  const toOffice = kind.to === 'office';
  const address = toOffice ? '' : (due.to?.email ?? person?.email ?? '');
  return {
    ...owedLetter(name, id, address, due),
    edition,
    person: person && shownPerson(person, kind.names, due),
    notice: due.notice && { ...due.notice, to: addressDigest(address) },
    asksToPay: kind.asksToPay ?? due.asksToPay ?? false,
    toOffice,
    isAboutWaiting: kind.about === 'waiting',
    isKept: kind.to === undefined && kind.about !== 'waiting',
    write(context) {
      const hers = asAgreed(edition, agreed);
      const said = due.says(writingFor(context, hers, person?.timeZone));
      // With plain spaces: subjects are not wrapped.
      const subject = (said.subject ?? subjectOf(said.title, hers)).replaceAll('\u00a0', ' ');
      return { ...said, subject };
    },
  };
}

const subjectOf = (title: string, { facts }: Edition): string =>
  title.endsWith('?') ? `${title} ${facts.title}` : `${title.replace(/\.$/, '')}: ${facts.title}`;

function shownPerson(person: Registrant, names: Traits['names'], { to }: Due): Registrant {
  if (to?.firstName !== undefined) return withProbableNames({ ...person, lastName: '', ...to });
  if (names === 'none') return { ...person, firstName: '', lastName: '' };
  return names ? withProbableNames(person) : person;
}

export function endOf(
  { kind, version }: Pick<OwedLetter, 'kind' | 'version'>,
  ended: readonly EndedLetter[],
): EndedLetter | undefined {
  return ended.find((one) => one.kind === kind && one.version === version);
}
