import * as v from 'valibot';
import { restore, type StepperState } from '#client/store/stepper-slice.ts';
import type { AppStore } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationSteps } from '#shared/content/registration.ts';
import { CONTACT_FIELDS, contactSchema, createPaymentResponseSchema } from '#shared/registration.ts';

const text = v.exactOptional(v.string());

const progressSchema = v.object({
  activeStep: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(registrationSteps.length)),
  skipped: v.record(v.string(), v.boolean()),
  data: v.object({
    package: v.string(),
    idempotencyKey: v.string(),
    ...v.entriesFromList(CONTACT_FIELDS, text),
    ...v.entriesFromList(['liveStreamingPass', 'paymentIntentClientSecret'], text),
    amountCents: v.exactOptional(createPaymentResponseSchema.entries.amountCents),
    unanswered: v.exactOptional(v.object(contactSchema.entries)),
    confirmationUnheard: v.exactOptional(v.literal(true)),
    hiddenFieldFilled: v.exactOptional(v.literal(true)),
    ...v.entriesFromList(['billingName', 'addressLine1', 'addressLine2', 'addressCity'], text),
    ...v.entriesFromList(['addressState', 'addressPostalCode', 'addressCountry'], text),
    termsAgreement: v.exactOptional(v.literal(true)),
    confirmationMail: v.exactOptional(createPaymentResponseSchema.entries.confirmationMail),
    cardPaymentIntent: v.exactOptional(v.object({ id: v.string(), amount: v.number() })),
  }),
  drafts: v.record(v.string(), v.record(v.string(), v.string())),
});

export function restoreProgress(store: AppStore, kept: string): void {
  const progress = parse(kept);
  if (progress?.data.package === facts.retreatPackage.id) store.dispatch(restore(progress));
}

function parse(kept: string): StepperState | undefined {
  try {
    return v.parse(v.pipe(v.string(), v.parseJson(), progressSchema), kept);
  } catch {
    return undefined;
  }
}
