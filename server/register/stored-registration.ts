import * as v from 'valibot';
import { MAIL_KINDS } from '#server/mail/job.ts';
import { noticeSchema } from '#server/mail/letter-log.ts';
import { cents, moment } from '#server/payments/acts.ts';
import { declineSchema } from '#server/payments/balance-payment.ts';
import { bouncedSchema } from '#server/payments/bounce-mark.ts';
import { cardSchema, paidCardSchema } from '#server/payments/card-on-file.ts';
import { decisionsSchema } from '#server/payments/decisions.ts';
import { cancelledSchema, correctionsSchema } from '#server/payments/on-record.ts';
import {
  addressAskedSchema,
  type RegistrationRecord,
  refundSchema,
  refundStatuses,
} from '#server/payments/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';

/** A registration as it is stored, without its edition, whose id is in the key. */
const storedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    id: v.string(),
    registration: v.string(),
    offer: v.exactOptional(v.string()),
    begunAt: moment,
    registrant: v.object({
      firstName: v.string(),
      lastName: v.string(),
      email: v.string(),
      phoneNumber: v.string(),
      timeZone: v.string(),
    }),
    deposit: v.picklist(['unpaid', 'paid', 'closed']),
    depositCents: cents,
    paidAt: v.exactOptional(moment),
    agreement: v.exactOptional(v.object({ version: v.string(), digest: v.string(), agreedAt: moment })),
    agreed: v.exactOptional(
      v.object({
        prices: v.object({ balanceBeforeFeeCents: cents, cardFeePerMille: v.number() }),
        balance: v.object({
          chargeAt: v.string(),
          refundsEndAt: v.string(),
          lateDays: v.number(),
          feeRefundable: v.boolean(),
        }),
      }),
    ),
    decisions: decisionsSchema,
    letters: v.record(v.picklist(MAIL_KINDS), v.picklist(['owed', 'sent', 'dismissed'])),
    endedLetters: v.array(
      v.object({
        kind: v.picklist(MAIL_KINDS),
        version: v.string(),
        state: v.picklist(['sent', 'dismissed']),
        at: moment,
        notice: v.exactOptional(noticeSchema),
        told: v.exactOptional(v.string()),
      }),
    ),
    customerId: v.exactOptional(v.string()),
    linksEpoch: v.number(),
    card: v.exactOptional(cardSchema),
    depositCard: v.exactOptional(paidCardSchema),
    noticed: v.exactOptional(v.object({ at: moment, ...noticeSchema.entries })),
    bounced: v.exactOptional(bouncedSchema),
    bouncedBefore: v.exactOptional(bouncedSchema),
    balance: v.exactOptional(
      v.object({
        id: v.string(),
        status: v.picklist(['open', 'cancelled', 'paid']),
        tries: v.number(),
        decline: v.exactOptional(declineSchema),
        payingSince: v.exactOptional(moment),
        cents,
        beforeFeeCents: v.number(),
        paidAt: v.exactOptional(moment),
        paidWith: v.exactOptional(paidCardSchema),
      }),
    ),
    cancelledBalances: v.number(),
    refunds: v.array(refundSchema),
    cancelled: v.exactOptional(
      v.object({ ...cancelledSchema.entries, refund: v.exactOptional(v.picklist(refundStatuses)) }),
    ),
    disputed: v.boolean(),
    corrections: correctionsSchema,
    addressAsked: v.exactOptional(addressAskedSchema),
    forgottenAt: v.exactOptional(moment),
  }),
);

export function formatRegistration({ edition: _, ...registration }: RegistrationRecord): string {
  return JSON.stringify(registration);
}

/** A stored registration; undefined if another release stored it in another form. */
export function parseRegistration(text: string, edition: Edition): RegistrationRecord | undefined {
  const stored = v.safeParse(storedSchema, text);
  return stored.success ? { ...stored.output, edition } : undefined;
}
