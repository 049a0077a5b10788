import {
  dayOf,
  describePart,
  describePlan,
  isAgreementAsked,
  planNotes,
  sumOfPlan,
  titleOfPart,
  planPageWords as words,
} from '#shared/content/own-page-plan.ts';
import type { OwnPagePlan } from '#shared/content/own-page-view.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { ProofField } from './form-field.tsx';
import { OfficeWays } from './office-section.tsx';
import { SumRow } from './sum-row.tsx';

/** The page on which she agrees to her payment plan, or sees it again. */
export function PlanDocument({ plan, ...props }: FormDocumentProps & { plan: OwnPagePlan }) {
  const { view, office, sent } = props;
  const { parts, agreedOn, isPaused, decidedAt } = plan;
  const lede = agreedOn ? words.agreed(dayOf(agreedOn, view)) : words.asked(parts.length);
  return (
    <FormDocument {...props} title={words.title} lede={isPaused ? words.paused : lede}>
      <section aria-labelledby="parts">
        <h2 id="parts">{words.parts}</h2>
        <p>{planNotes.sums(view.edition.facts.prices.cardFee)}</p>
        <dl className="place-sums">
          {parts.map((part) => (
            <SumRow
              key={part.position}
              label={titleOfPart(part)}
              sum={formatCents(part.cents)}
              note={[
                describePart(part, view),
                ...(part.state === 'paid' ? [] : [words.byCheck(part.beforeFeeCents)]),
              ].join('; ')}
            />
          ))}
          <SumRow label={words.total} sum={formatCents(sumOfPlan(plan))} strong />
        </dl>
      </section>
      <section aria-labelledby="means">
        <h2 id="means">{words.means}</h2>
        {describePlan(view).map((point) => (
          <p key={point}>{point}</p>
        ))}
      </section>
      {isAgreementAsked(view) && (
        <section className="place-act" aria-labelledby="act">
          <h2 id="act">{words.act}</h2>
          <OwnPageForm {...props} action={formPaths.plan} submit={words.submit} whenSpent={words.spent}>
            <input type="hidden" name="decided" value={decidedAt.toISOString()} />
            <input type="hidden" name="cents" value={sumOfPlan(plan)} />
            <ProofField kind={view.secondFactor} note={words.proofNote} sent={sent} />
          </OwnPageForm>
        </section>
      )}
      <section aria-labelledby="otherwise">
        <h2 id="otherwise">{words.otherwise}</h2>
        <p>{words.otherwiseText}</p>
        <OfficeWays office={office} />
      </section>
    </FormDocument>
  );
}
