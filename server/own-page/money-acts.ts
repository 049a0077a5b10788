import type { IRouter } from 'express';
import * as v from 'valibot';
import { nextInstallment, type RegistrationRecord, statement } from '#server/registration/registration.ts';
import { isSession, openCheckout, readSession, takeSession } from '#server/stripe/checkout.ts';
import { canPay, lookAtPayment, type Paying, pay, toPayByCard } from '#server/stripe/pay.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { isJustNow, type OwnPageNews } from '#shared/content/own-page-form-words.ts';
import { payWords } from '#shared/content/own-page-pay.ts';
import { isPayment } from '#shared/content/tuition.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { centsField, proofSchema } from './press-input.ts';
import type { Visit } from './visits.ts';

const goTo = (id: string): string => `${ownPagePaths.go}?to=${id}`;

type AtStripe = { to: 'card' | 'bank'; url: string } | { told: OwnPageNews | undefined };

export type MoneyActs = ReturnType<typeof createMoneyActs>;

export function createMoneyActs({ config, payments, askForDueWork, forms, logger }: OwnPageContext) {
  const back = new URL(ownPagePaths.back, config.publicUrl).href;
  const whyNot = (error: unknown) => {
    if (!(error instanceof AppError) || error.status === 409) throw error;
    logger.warn({ err: causeOf(error) }, 'A press that needs Stripe could not be carried out');
    const isAway = error.code.startsWith('payment_provider');
    return { errors: { act: isAway ? payWords.away : error.message } };
  };

  const addActs = (app: IRouter): void => {
    forms.submit(app, 'pay', paySchema, ({ record, typed, at }) => {
      const { cents, part, card } = typed;
      const isAsShown = canPay(record, at) && part === partOf(record) && cents === `${toPayByCard(record)}`;
      if (!isAsShown) return isPaidJustNow(record, typed, at) ? 'paid' : 'form-changed';
      const [brand = '', last4 = ''] = card.split(' ');
      const shown = { cents: Number(cents), card: { brand, last4 }, returnUrl: back };
      return async () => {
        try {
          const paying = await payments.ask(pay, record, shown, at);
          if (paying.outcome === 'bank') return { path: goTo(paying.payment) };
          if (paying.outcome === 'unknown')
            logger.warn(
              { err: causeOf(paying.cause), registration: record.id },
              'It is not known whether she has paid',
            );
          await askForDueWork();
          return newsOf(paying);
        } catch (error) {
          return whyNot(error);
        }
      };
    });

    const ways = {
      success_url: `${back}?session={CHECKOUT_SESSION_ID}`,
      cancel_url: new URL(OWN_PAGE_PATH, config.publicUrl).href,
    };
    forms.submit(app, 'card', proofSchema, ({ record, at }) => {
      if (!canPay(record, at)) return 'changed';
      return () =>
        payments.ask(openCheckout, record, ways, at).then((session) => ({ path: goTo(session) }), whyNot);
    });
  };

  /** Reads and records what she has open at Stripe; undefined where it is none of hers. */
  const look = async ({ record }: Visit, id: string): Promise<AtStripe | undefined> => {
    if (!isSession(id)) {
      const paying = await payments.ask(lookAtPayment, record, id);
      if (paying?.outcome === 'bank') return { to: 'bank', url: paying.url };
      return paying && { told: newsOf(paying) };
    }
    const session = await payments.ask(readSession, id);
    if (session?.marks.registration !== record.id) return undefined;
    if (session.status === 'open' && session.url !== null) return { to: 'card', url: session.url };
    const taken = await payments.ask(takeSession, session);
    if (taken === 'news') await askForDueWork();
    return { told: taken && 'card-changed' };
  };
  return {
    addActs,
    look,
    /** The same on her way back; while Stripe is away her page shows what is on record. */
    lookBack: (visit: Visit, id: string): Promise<AtStripe | undefined> =>
      look(visit, id).catch((error: unknown) => {
        const facts = { err: causeOf(error), registration: visit.record.id };
        logger.warn(facts, 'What she did at Stripe could not be read when she returned');
        return { told: undefined };
      }),
  };
}

function newsOf(paying: Paying): OwnPageNews | undefined {
  switch (paying.outcome) {
    case 'paid':
    case 'changed':
      return paying.outcome;
    case 'bank':
      return 'bank-waits';
    case 'declined':
      return `declined-${paying.reason}`;
    case 'unknown':
      return 'pay-unknown';
    case 'processing':
      return undefined;
  }
}

/** The position of the part of her payment plan that she pays, '' without one: two may have the same sum. */
function partOf(record: RegistrationRecord): string {
  const { part } = record.deposit === 'unpaid' ? {} : nextInstallment(record);
  return `${part?.position ?? ''}`;
}

/** A second press of the same form finds what the first one paid. */
function isPaidJustNow(
  record: RegistrationRecord,
  { cents, part }: { cents: string; part: string },
  at: Date,
): boolean {
  const last = statement(record).filter(isPayment).at(-1);
  if (last?.way !== 'card' || !isJustNow(last.at, at)) return false;
  return `${last.cents}` === cents && `${last.part?.position ?? ''}` === part;
}

const paySchema = v.object({
  ...proofSchema.entries,
  cents: centsField,
  part: v.pipe(v.string(), v.regex(/^\d{0,2}$/)),
  card: v.pipe(v.string(), v.regex(/^\w{1,50} \w{1,10}$/)),
});
