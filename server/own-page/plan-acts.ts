import type { IRouter, Request, Response } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import type { Payments } from '#server/payments/payments.ts';
import { HERSELF } from '#server/record/acts.ts';
import { agreedPartsOf } from '#server/record/charge-plan.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { sumOfPlan } from '#shared/content/own-page-plan.ts';
import type { OwnPageNews } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { Forms } from './forms.ts';
import type { OwnPageDocuments } from './own-page-documents.ts';
import { planOf } from './own-page-view.ts';
import { centsField, pressToken, proof, readPress } from './press.ts';

interface PlanActsDependencies {
  payments: Pick<Payments, 'decide' | 'findRegistration'>;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  forms: Forms;
  documents: OwnPageDocuments;
  now: () => Date;
}

/** The press with which she agrees to her payment plan, as the page showed it. */
export function addPlanActs(app: IRouter, dependencies: PlanActsDependencies): void {
  const { payments, askForDueWork, forms, documents, now } = dependencies;

  const agree = async (req: Request, res: Response): Promise<void> => {
    const at = now();
    const { token, decided, cents, ...typed } = readPress(agreeSchema, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    const { record } = visit;
    const plan = planOf(record, at);
    if (!plan) return forms.redirect(res, 'changed');
    if (plan.agreedOn) return forms.redirect(res, 'plan-agreed');
    // What is asked for may have changed without the plan: a check came, or was taken back.
    const isAsShown = plan.decidedAt.toISOString() === decided && sumOfPlan(plan) === cents;
    if (!isAsShown || plan.isPaused) return forms.redirect(res, 'changed', formPaths.plan);
    const refuted = await forms.refuteProof(visit, typed.proof);
    if (refuted) {
      const html = documents.plan(visit, plan, { at, sent: { ...refuted, typed } });
      return forms.sendAgain(res, html, refuted);
    }
    const told = await decide(record, at);
    forms.redirect(res, told, told === 'changed' ? formPaths.plan : undefined);
  };

  const decide = async (record: RegistrationRecord, at: Date): Promise<OwnPageNews> => {
    try {
      await payments.decide(record, 'planAgreed', { at, by: HERSELF, parts: agreedPartsOf(record) });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'decided_meanwhile') throw error;
      const after = await payments.findRegistration(record.id);
      return after && planOf(after, at)?.agreedOn ? 'plan-agreed' : 'changed';
    }
    await askForDueWork();
    return 'plan-agreed';
  };

  app.post(formPaths.plan, ...forms.before, agree);
}

const agreeSchema = v.object({
  token: pressToken,
  /** When the plan was decided that the page showed, and the sum of its parts there. */
  ...{ decided: v.string(), cents: centsField },
  proof,
});
