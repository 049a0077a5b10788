import { canDecide } from '#server/payments/decide.ts';
import type { Message } from '#server/payments/messages.ts';
import type { Payments } from '#server/payments/payments.ts';
import { type Decision, type DecisionKind, isRecordable } from '#server/record/decisions.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type ActSpec, actsAbout, type Fields, type GivenBy, type OfficeAct } from './act.ts';
import { type ActContext, findRegistrationOf } from './act-context.ts';
import { carryOutFor, notAllowed, type Said, whyNotDecided } from './carry-out.ts';
import type { FoundJob } from './mail-jobs.ts';
import { refuseIf, wrongUsage } from './refusal.ts';

/** A registration at a moment. */
export interface Standing {
  record: RegistrationRecord;
  now: Date;
}

/** What the acts on a registration are based on. */
export interface Situation extends Standing {
  /** The jobs of her letters, the newest first. */
  letters: readonly FoundJob[];
  /** The letters that the office wrote to many, of which she may have had some. */
  messages: readonly Message[];
}

/** The headings under which the page of a registration offers its acts, in their order. */
export const actGroups = {
  money: 'Money',
  cancelling: 'Cancelling and giving back',
  notes: 'Notes',
  details: 'Her details',
  letters: 'Letters',
  link: 'The link to her page',
  support: 'For support',
} as const;

/** The heading under which an act is offered. */
interface Grouped {
  group: keyof typeof actGroups;
}

/** An act on a registration, which is named by the payment of its deposit. */
export interface RegistrationAct extends OfficeAct<Situation, string>, Grouped {}

type Takings = Fields<Situation>;
type Spec<Takes extends Takings> = ActSpec<Takes, Situation, string> & Grouped;

const officeAct = actsAbout<Situation, string>();

export function registrationAct<const Takes extends Takings>(spec: Spec<Takes>) {
  return { ...officeAct(spec), group: spec.group };
}

/** What an act will do to a registration. */
interface Plan {
  says: readonly Said[];
  /** What the result depends on beside the registration and what `says` has. */
  settles?: unknown;
  /** Does it; returns what to add to `says`. */
  carryOut(register: Payments): Promise<readonly Said[]> | Promise<void>;
}

interface Planned<Takes extends Takings> extends Omit<Spec<Takes>, 'run' | 'whyNot'> {
  whyNot(standing: Standing): string | undefined;
  plan(standing: Standing & { by: string }, given: GivenBy<Takes>, context: ActContext): Plan | Promise<Plan>;
}

/** Makes an act whose plan is worked out from the registration as it is now, and refused for the same reasons. */
export function plannedAct<const Takes extends Takings>({ plan, ...spec }: Planned<Takes>) {
  return registrationAct<Takes>({
    ...spec,
    async run(context, id, given, asked) {
      const record = await findRegistrationOf(context, id);
      const now = await context.now();
      refuseIf(spec.whyNot({ record, now }));
      const { carryOut, ...planned } = await plan({ record, now, by: asked.by }, given, context);
      return carryOutFor(context, record, asked, planned, carryOut);
    },
  });
}

interface Outcome<Kind extends DecisionKind> {
  decision: Decision<Kind>;
  /** The description of its effects. */
  says: readonly Said[];
}

interface Deciding<Kind extends DecisionKind, Takes extends Takings>
  extends Omit<Spec<Takes>, 'run' | 'whyNot'> {
  decides: Kind;
  /** Why it is not possible although the state of the registration allows it. */
  whyNot?(standing: Standing): string | undefined;
  plan(
    record: RegistrationRecord,
    act: { at: Date; by: string },
    given: GivenBy<Takes>,
    context: ActContext,
  ): Outcome<Kind> | Promise<Outcome<Kind>>;
}

/** Makes an act that records a decision; it is refused, with the reason, while the state of the registration does not allow it. */
export function decisionAct<Kind extends DecisionKind, const Takes extends Takings>({
  decides,
  whyNot,
  plan,
  ...spec
}: Deciding<Kind, Takes>) {
  return registrationAct<Takes>({
    ...spec,
    whyNot: ({ record, now }) => whyNotDecided(record, decides, now) ?? whyNot?.({ record, now }),
    async run(context, id, given, asked) {
      const record = await findRegistrationOf(context, id);
      const now = await context.now();
      if (!canDecide(record, decides, now)) throw notAllowed(record, decides, now);
      refuseIf(whyNot?.({ record, now }));
      const { decision, says } = await plan(record, { at: now, by: asked.by }, given, context);
      if (!isRecordable(decides, decision)) throw wrongUsage('This is more than is kept: use fewer words');
      const { at: _at, by: _by, ...settles } = decision;
      return carryOutFor(context, record, asked, { says, settles }, (register) =>
        register.decide(record, decides, decision),
      );
    },
  });
}
