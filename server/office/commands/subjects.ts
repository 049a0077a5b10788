import { readAnnouncements } from '#server/letters/announcements.ts';
import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import { officePaths } from '#server/office/paths.ts';
import type { Situation } from '#server/office/timeline.ts';
import type { AuditFacts } from '#server/office/users/user.ts';
import { findRegistration, nameOf } from '#server/registration/registration.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import {
  announceRecordings,
  announceRoom,
  announceSchedule,
  type EditionNow,
  findEditionNow,
} from './announce-commands.ts';
import { cancellingCommands } from './cancelling-commands.ts';
import { type Command, type CommandContext, Refusal } from './command.ts';
import { findLetterNow, type LetterNow, letterCommands } from './letters.ts';
import { stopMessage, writeMessage } from './message-commands.ts';
import { moneyCommands } from './money-commands.ts';
import { personCommands } from './person-commands.ts';
import { planCommands } from './plan-commands.ts';
import { holdCommands, register } from './registering-commands.ts';
import { forget, lookedAt, type Reported } from './support-commands.ts';
import { type Entry, findEntry, waitingCommands } from './waiting-commands.ts';

/** What commands are given about: pages, terminal, and log follow from it. */
export interface Subject<About> {
  audit: Exclude<keyof AuditFacts, 'outcome'>;
  isNamed(id: string): boolean;
  commands: readonly Command<About>[];
  find(context: CommandContext, id: string): Promise<About>;
  nameOf(about: About): string;
  /** The address of the form of a command; with `:key` and `:act`, that of its route. */
  pathOf(id: string, command: string): string;
  backTo(about: About, id: string): { path: string; back: string };
}

const ofRegistration = {
  audit: 'registration',
  isNamed: (id: string) => /^reg_\w{1,200}$/.test(id),
  pathOf: officePaths.act,
  backTo: (_: unknown, id: string) => ({
    path: officePaths.registration(id),
    back: 'Back to her registration',
  }),
} as const;

export const registrations: Subject<Situation> = {
  ...ofRegistration,
  /** Of each group in the order in which the page of a registration offers them. */
  commands: [
    ...moneyCommands,
    ...planCommands,
    ...cancellingCommands,
    ...personCommands,
    ...holdCommands,
    forget,
  ],
  async find({ payments, now }, id) {
    const record = ofRegistration.isNamed(id) ? await findRegistration(payments, id) : undefined;
    if (!record) throw new Refusal('notFound', `There is no registration ${id}.`);
    return { record, announced: await readAnnouncements(payments, record.edition), now: now() };
  },
  nameOf: ({ record: { registrant, namesBefore, forgottenAt, id } }) => {
    const name = nameOf(registrant) + (namesBefore ? `, before: ${namesBefore}` : '');
    return name || (forgottenAt ? 'Somebody whose data were removed' : id);
  },
};

/** The command that helps most often with a need of the office, where it is possible now. */
export function helpWith(need: OfficeNeed, about: Situation): Command<Situation> | undefined {
  return registrations.commands.find(
    ({ helps, refuses }) => helps?.includes(need) && refuses(about) === undefined,
  );
}

/** What was reported about a payment, also where its registration cannot be read. */
const reported: Subject<Reported> = {
  ...ofRegistration,
  commands: [lookedAt],
  find: async (_, id) => ({ id }),
  nameOf: ({ id }) => id,
};

const ofEdition = {
  audit: 'edition',
  isNamed: (id: string) => findEdition(id) !== undefined,
  async find(context: CommandContext, id: string): Promise<EditionNow> {
    const edition = findEdition(id);
    if (!edition) throw new Refusal('notFound', `There is no retreat ${id}.`);
    return findEditionNow(context, edition);
  },
  nameOf: ({ edition }: EditionNow) => edition.facts.title,
} as const;

export const registering: Subject<EditionNow> = {
  ...ofEdition,
  commands: [register],
  pathOf: officePaths.register,
  backTo: () => ({ path: officePaths.list, back: 'Back to all people' }),
};

const TO_MESSAGES = { path: officePaths.letters, back: 'Back to the messages' };

export const announcing: Subject<EditionNow> = {
  ...ofEdition,
  commands: [announceRoom, announceSchedule, announceRecordings, writeMessage, stopMessage],
  pathOf: officePaths.announce,
  backTo: () => TO_MESSAGES,
};

export const waiting: Subject<Entry> = {
  audit: 'waiting',
  isNamed: (id) => /^waiting_\w{1,200}$/.test(id),
  commands: waitingCommands,
  find: findEntry,
  nameOf: ({ record }) => [record.id, nameOf(record.registrant)].filter(Boolean).join(', '),
  pathOf: officePaths.waitingAct,
  backTo: () => ({ path: officePaths.waiting, back: 'Back to the waiting list' }),
};

/** A letter by its id, which no other subject has. */
export const letters: Subject<LetterNow> = {
  audit: 'mail',
  isNamed: (id) => ![registrations, waiting, announcing].some((subject) => subject.isNamed(id)),
  commands: letterCommands,
  find: findLetterNow,
  nameOf: ({ name }) => name,
  pathOf: officePaths.letterAct,
  backTo: ({ record }) => (record ? ofRegistration.backTo(record, record.id) : TO_MESSAGES),
};

export function withSubjects<Result>(work: <About>(subject: Subject<About>) => Result): Result[] {
  return [
    work(registrations),
    work(reported),
    work(registering),
    work(announcing),
    work(waiting),
    work(letters),
  ];
}
