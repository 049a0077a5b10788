import {
  type ActContext,
  type Asked,
  choicesIn,
  type Field,
  type OfficeAct,
  refuseIf,
  type Told,
  wrongUsage,
} from '#server/acts/act.ts';
import { type Announcing, findAnnouncing } from '#server/acts/announce.ts';
import { mailActs } from '#server/acts/letter-acts.ts';
import { findJob } from '#server/acts/mail-jobs.ts';
import { announceActs, officeActs } from '#server/acts/office-acts.ts';
import { registerSomebody } from '#server/acts/register-somebody.ts';
import { findSituation } from '#server/acts/registration-act.ts';
import { findEntry, waitingActs } from '#server/acts/waiting-acts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';

const ofEdition: readonly OfficeAct<Announcing, Edition>[] = [registerSomebody, ...announceActs];

/** What is done on the subject of an ID; without a kind, the acts that are possible now are listed. */
interface Doing {
  kind: string | undefined;
  /** Such as `dollars=200`. */
  fields: readonly string[];
  asked: Asked;
}

export function act(context: ActContext, id: string, doing: Doing): Promise<string | Told> {
  const on = <About, Of>(acts: readonly OfficeAct<About, Of>[], of: Of, find: () => Promise<About>) => {
    const chosen = acts.find((one) => one.id === doing.kind);
    if (chosen) return carryOut(context, chosen, of, find, doing);
    if (doing.kind === undefined) return list(acts, find);
    throw wrongUsage(`${id} has no act ${doing.kind}: it is one of ${acts.map((one) => one.id).join(', ')}`);
  };
  if (/^pi_\w+$/.test(id)) return on(officeActs, id, () => findSituation(context, id));
  if (/^waiting_\w+$/.test(id)) return on(waitingActs, id, () => findEntry(context, id));
  const edition = findEdition(id);
  if (!edition) return on(mailActs, id, () => findJob(context, id));
  return on(ofEdition, edition, async () =>
    findAnnouncing(edition, await context.openPayments(), await context.now()),
  );
}

async function carryOut<About, Of>(
  context: ActContext,
  { id, fields, whyNot, prepare }: OfficeAct<About, Of>,
  of: Of,
  find: () => Promise<About>,
  doing: Doing,
): Promise<Told> {
  const names = Object.keys(fields);
  const given = new Map(doing.fields.map((text) => [text.split('=', 1)[0], text.replace(/^[^=]*=/, '')]));
  const unknown = [...given.keys()].find((name) => !names.includes(name ?? ''));
  if (unknown !== undefined)
    throw wrongUsage(`${id} has no field ${unknown}: it takes ${names.map((name) => `${name}=…`).join(' ')}`);
  // Without fields nothing depends on it: also a payment that is no registration can be marked as looked at.
  const situation = names.length > 0 ? await find() : undefined;
  refuseIf(situation && whyNot(situation));
  const initial = (name: string) => (situation && fields[name]?.initial?.(situation)) ?? '';
  const typed = Object.fromEntries(names.map((name) => [name, given.get(name) ?? initial(name)]));
  const prepared = prepare(typed);
  if ('run' in prepared) return prepared.run(context, of, doing.asked);
  throw wrongUsage(
    Object.entries(prepared.errors)
      .map(([name, why]) => `${name}: ${why}`)
      .join('. '),
  );
}

async function list<About>(
  acts: readonly OfficeAct<About, never>[],
  find: () => Promise<About>,
): Promise<string> {
  const situation = await find();
  const open = acts.filter(({ whyNot }) => whyNot(situation) === undefined);
  return open
    .map(({ id, fields, sentence }) => {
      const takes = Object.entries(fields).map(([name, field]) => fieldText(name, field, situation));
      return `${[id, ...takes].join(' ')}\n    ${sentence}`;
    })
    .join('\n');
}

/** Such as `way=check|transfer`; in brackets what may be left out. */
function fieldText<About>(name: string, field: Field<About>, situation: About): string {
  const choices = choicesIn(field, situation)?.map(({ value }) => value);
  const text = `${name}=${choices?.join('|') ?? (field.input ?? 'line').toUpperCase()}`;
  return field.isOptional || field.input === 'mark' || field.initial?.(situation) ? `[${text}]` : text;
}
