import { selectSite } from '#client/store/site-slice.ts';
import { selectRegistration } from '#client/store/stepper-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { OfficeContact } from '#client/ui/office-links.tsx';
import { findOwnClock } from '#client/ui/use-schedule-zone.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { completionCopy, nextSteps } from '#shared/content/prices.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { CALENDAR_PATH } from '#shared/content/schedule.ts';
import { formatCents } from '#shared/money.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { PolicyDetails } from './policies.tsx';
import { useStartOver } from './start-over.tsx';

/** Shown after payment (R2.7): the charge, and what happens next. */
export function CompletionView() {
  const { forgetAll } = useStartOver();
  const { cardPaymentIntent, confirmationMail = 'queued', email } = useAppSelector(selectRegistration);
  return (
    <div className="completion">
      <div role="status">
        <h3>{registrationCopy.completion}</h3>
        {cardPaymentIntent && <p>{registrationCopy.charged(formatCents(cardPaymentIntent.amount))}</p>}
        {email && <p>{registrationCopy.completionMail[confirmationMail](email)}</p>}
      </div>
      <OwnPage />
      <NextSteps />
      <OfficeContact text={completionCopy.questions} />
      <PolicyDetails />
      <button type="button" className="button button--quiet" onClick={forgetAll}>
        {registrationCopy.registerAnother}
      </button>
    </div>
  );
}

/** Leads to her page. The client secret that opens it is lost at a reload; a letter has the link too. */
function OwnPage() {
  const { paymentIntentClientSecret: secret } = useAppSelector(selectRegistration);
  return (
    <form method="post" action={ownPagePaths.open}>
      <p>{completionCopy.ownPage}</p>
      {secret && (
        <p>
          <input type="hidden" name="paymentIntentClientSecret" value={secret} />
          <button type="submit" className="button">
            {completionCopy.openOwnPage}
          </button>
        </p>
      )}
    </form>
  );
}

function NextSteps() {
  const { balanceTiming } = useAppSelector(selectSite);
  const { timeZone } = useAppSelector(selectRegistration);
  const own = findOwnClock();
  const chosen = timeZone === undefined ? own : { hourCycle: own?.hourCycle ?? '12', timeZone };
  const steps = nextSteps({ facts, timetable }, chosen, balanceTiming);
  return (
    <section className="next-steps" aria-labelledby="next-steps-title">
      <h4 id="next-steps-title">{completionCopy.nextTitle}</h4>
      <dl>
        {steps.map(({ date, when, text }) => (
          <div key={when}>
            <dt>{date ? <time dateTime={date}>{when}</time> : when}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <a href={CALENDAR_PATH}>{completionCopy.addToCalendar}</a>
    </section>
  );
}
