import {
  type ActContext,
  type Asked,
  choicesIn,
  type Field,
  type OfficeAct,
  refuseIf,
  type Told,
  type Typed,
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

export async function act(context: ActContext, id: string, doing: Doing): Promise<string | Told> {
  const { kind, fields, asked } = doing;
  const on = async <About, Of>(acts: readonly OfficeAct<About, Of>[], of: Of, find: () => Promise<About>) => {
    if (kind === undefined) return possibleIn(acts, await find());
    const chosen = acts.find((one) => one.id === kind);
    if (!chosen)
      throw wrongUsage(`${id} has no act ${kind}: it is one of ${acts.map((one) => one.id).join(', ')}`);
    // Without fields nothing depends on it: also a payment that is no registration can be marked as looked at.
    const situation = Object.keys(chosen.fields).length > 0 ? await find() : undefined;
    refuseIf(situation && chosen.whyNot(situation));
    const prepared = chosen.prepare(typedInto(chosen, fields, situation));
    if ('run' in prepared) return prepared.run(context, of, asked);
    const wrong = Object.entries(prepared.errors).map((field) => field.join(': '));
    throw wrongUsage(wrong.join('. '));
  };
  if (/^reg_\w+$/.test(id)) return on(officeActs, id, () => findSituation(context, id));
  if (/^waiting_\w+$/.test(id)) return on(waitingActs, id, () => findEntry(context, id));
  const edition = findEdition(id);
  if (!edition) return on(mailActs, id, () => findJob(context, id));
  return on(ofEdition, edition, async () => findAnnouncing(edition, context.payments, context.now()));
}

/** The values of all fields; one that is not given is as the form shows it at first. */
function typedInto<About>(act: OfficeAct<About, never>, given: readonly string[], situation?: About): Typed {
  const typed = new Map(given.map((text) => [text.split('=', 1)[0] ?? '', text.replace(/^[^=]*=?/, '')]));
  const names = Object.keys(act.fields);
  const unknown = [...typed.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrongUsage(`${act.id} has no field ${unknown}: it takes ${names.join(', ') || 'none'}`);
  const initial = (name: string) => (situation && act.fields[name]?.initial?.(situation)) ?? '';
  return Object.fromEntries(names.map((name) => [name, typed.get(name) ?? initial(name)]));
}

/** Such as `waive dollars=AMOUNT as=scholarship|reduction [reason=LINE]`; in brackets what may be left out. */
function possibleIn<About>(acts: readonly OfficeAct<About, never>[], situation: About): string {
  const fieldOf = ([name, field]: [string, Field<About>]) => {
    const values = choicesIn(field, situation)?.map(({ value }) => value);
    const text = `${name}=${values?.join('|') ?? (field.input ?? 'line').toUpperCase()}`;
    return field.isOptional || field.input === 'mark' || field.initial?.(situation) ? `[${text}]` : text;
  };
  return acts
    .filter(({ whyNot }) => whyNot(situation) === undefined)
    .map((one) => `${[one.id, ...Object.entries(one.fields).map(fieldOf)].join(' ')}\n    ${one.sentence}`)
    .join('\n');
}
