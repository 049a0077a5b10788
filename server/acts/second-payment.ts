import { refundAt } from '#server/record/cancel-plan.ts';
import { hasPlace } from '#server/record/place-of-record.ts';
import { formatCents } from '#shared/money.ts';
import { findRegistrationOf } from './act-context.ts';
import { decide, totalOf, whyNotDecided } from './carry-out.ts';
import { chargeWords } from './charge-words.ts';
import { whyNotGivenBack } from './give-back.ts';
import { impossible, refuseIf } from './refusal.ts';
import { decisionAct, registrationAct, type Standing } from './registration-act.ts';

/** Gives all of a second payment back, with its card fee and at once; the person keeps the place that she paid first. */
export const refundSecond = registrationAct({
  id: 'refund-second',
  heading: 'Give her second payment back',
  sentence: 'Sends all of it back at once, with its card fee; she keeps the place that she paid first.',
  group: 'cancelling',
  help: [
    'Gives all of a second payment back at once, with its card fee: the same person had paid for her place before, and',
    'keeps it.',
  ],
  confirm: (_given, told) => `Give ${formatCents(totalOf(told.says))} back to her`,
  whyNot: whyNoSecondRefund,
  run: (context, id, _given, asked) =>
    decide(context, id, 'cancel', asked, async (record, act) => {
      refuseIf(whyNoSecondRefund({ record, now: act.at }));
      if (!hasPlace(await findRegistrationOf(context, record.secondOf ?? '')))
        throw impossible(
          'She has cancelled or lost the place that she paid first: it may be this one that she wants to keep. Ask her.',
        );
      const { byCardCents, byCheckCents, lines } = refundAt(record, act.at);
      const says = [
        `She had paid for her place before, by ${record.secondOf}, and keeps it.`,
        { sum: lines },
        byCardCents > 0
          ? `${formatCents(byCardCents)} goes back to her card as soon as the site gets to it.`
          : '',
        byCheckCents > 0
          ? `${formatCents(byCheckCents)} is owed by check: send it, and record that it was sent.`
          : '',
        'It cannot be taken back.',
      ];
      // The press that confirms it has to lead to the same decision as the one that described it.
      return { decision: { ...act, writtenAt: record.paidAt ?? record.begunAt }, says };
    }),
});

function whyNoSecondRefund({ record, now }: Standing): string | undefined {
  return whyNotDecided(record, 'twoPeople', now) ?? whyNotGivenBack({ record });
}

/** Records that what looks like a second payment is somebody else's: it goes on as any other registration. */
export const twoPeople = decisionAct({
  id: 'two-people',
  heading: 'These are two people',
  sentence: 'Records that the second payment is somebody else’s: it goes on as any other registration.',
  group: 'cancelling',
  help: [
    'Records that what looks like a second payment is somebody else’s, with the same name and address: it goes on as any',
    'other registration.',
  ],
  confirm: () => 'Record that these are two people',
  decides: 'twoPeople',
  plan(record, act) {
    const { secondOf, ...alone } = record;
    const says = [
      `This is somebody else than who paid ${secondOf}: the place is hers, and the welcome is sent to her.`,
      `Charged automatically: ${chargeWords(alone, act.at)}.`,
    ];
    return { decision: act, says };
  },
});
