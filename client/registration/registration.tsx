import { type ComponentType, type RefObject, useEffect, useRef, useState } from 'react';
import { LazyPart } from '#client/loading/lazy-part.tsx';
import { type Chunk, loadChunk } from '#client/loading/load-chunk.ts';
import { selectActiveStep, selectHasPayment, selectStepCompleted } from '#client/store/stepper-slice.ts';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { OfficeContact, PrivacyButton, ReserveWords } from '#client/ui/links.tsx';
import { privacyButtons } from '#shared/content/privacy.ts';
import { type RegistrationStep, registrationCopy, registrationSteps } from '#shared/content/registration.ts';
import { REGISTER_SECTION_ID, STEPPER_ELEMENT_ID } from '#shared/page.ts';
import { PackageStep } from './steps/package-step.tsx';
import { PoliciesToKeep, PolicyDetails } from './steps/policies.tsx';

type Part = Chunk<{ default: ComponentType }>;

/** The steps after the first one, and the completion view: they are loaded, with their forms, when they are needed. */
const lazySteps: Part[] = [
  { id: 'contact-step', load: () => import('./steps/contact-step.tsx') },
  { id: 'payment-step', load: () => import('./steps/payment-step.tsx') },
  { id: 'completion', load: () => import('./steps/completion.tsx') },
];

const waitingList: Part = { id: 'waiting-list', load: () => import('./steps/waiting-list.tsx') };

/** The registration stepper (R1.13, R2), or the waiting list, or why registration is not open. */
export function Registration() {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  const hasPayment = useAppSelector(selectHasPayment);
  const { title, reserved, full, closed, notYetOpen } = registrationCopy;
  const reason = registrationOpensOn ? notYetOpen.title(registrationOpensOn) : closed.title;
  // The last place may be the visitor's own.
  const isFullForHer = isFull === true && !hasPayment;
  const titleOpen = isFullForHer ? full.title : title;
  const focusRef = useFocusOnChange<HTMLDivElement>(isFullForHer);
  const isNear = useNear();
  return (
    <>
      <h2 id="register-title">
        {registrationOpen ? <ReserveWords open={titleOpen} done={reserved} /> : reason}
      </h2>
      {!registrationOpen && <Closed />}
      {registrationOpen && !isFullForHer && <Stepper preloads={isNear} />}
      {registrationOpen && isFullForHer && <Full focusRef={focusRef} />}
    </>
  );
}

/** Hides the phone's price bar while the registration is in view. @returns whether it has come within a screen's height */
function useNear(): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const bar = document.querySelector<HTMLElement>('.phone-bar');
    const watches = [
      watchSection('0px', (isInView) => {
        if (bar) bar.style.visibility = isInView ? 'hidden' : '';
      }),
      watchSection('100% 0px', (isInView) => isInView && setNear(true)),
    ];
    return () => {
      for (const watch of watches) watch.disconnect();
    };
  }, []);
  return isNear;
}

function watchSection(rootMargin: string, onChange: (isInView: boolean) => void): IntersectionObserver {
  const watch = new IntersectionObserver((entries) => onChange(entries.at(-1)?.isIntersecting ?? false), {
    rootMargin,
  });
  const section = document.getElementById(REGISTER_SECTION_ID);
  if (section) watch.observe(section);
  return watch;
}

/** Preloads the files of the first form in parallel: otherwise each import would wait for the one before. */
function preloadForms(): void {
  const files: string[] = JSON.parse(document.getElementById(STEPPER_ELEMENT_ID)?.textContent ?? '[]');
  for (const href of files)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
}

function Full({ focusRef }: { focusRef: RefObject<HTMLDivElement | null> }) {
  const [isHydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  return (
    <>
      <noscript>
        <OfficeContact text={registrationCopy.full.withoutScript} />
      </noscript>
      <div ref={focusRef} className="register__step" tabIndex={-1}>
        {isHydrated && <LazyPart chunk={waitingList} />}
      </div>
      <PolicyDetails />
    </>
  );
}

function Closed() {
  const { registrationOpensOn } = useAppSelector(selectSite);
  const { notYetOpen, closed } = registrationCopy;
  return (
    <>
      <OfficeContact text={registrationOpensOn ? notYetOpen.text : closed.text} />
      <PolicyDetails />
    </>
  );
}

/** The server renders the first step only. `preloads`: loads the step after the active one before it is needed. */
function Stepper({ preloads }: { preloads: boolean }) {
  const activeStep = useAppSelector(selectActiveStep);
  const focusRef = useFocusOnChange<HTMLHeadingElement & HTMLDivElement>(activeStep);
  const done = activeStep >= registrationSteps.length;
  const [step, nextStep] = [lazySteps[activeStep - 1], lazySteps[activeStep]];
  useEffect(() => {
    if (!preloads || !nextStep) return;
    if (nextStep === lazySteps[0]) preloadForms();
    // A failure is shown when the step is opened.
    loadChunk(nextStep).catch(() => {});
  }, [preloads, nextStep]);
  return (
    <>
      <noscript>
        <OfficeContact {...registrationCopy.withoutScript} />
        <PoliciesToKeep />
      </noscript>
      <div className="stepper">
        <ol className="step-progress" aria-label={registrationCopy.progressLabel}>
          {registrationSteps.map((step, index) => (
            <ProgressItem key={step.label} step={step} index={index} />
          ))}
        </ol>
        <div ref={done ? focusRef : undefined} className="register__step" tabIndex={-1}>
          {!done && <StepHeading ref={focusRef} step={activeStep} />}
          {step ? <LazyPart key={step.id} chunk={step} /> : <PackageStep />}
        </div>
        {activeStep > 0 && (
          <p className="stepper-privacy">
            <PrivacyButton>{privacyButtons.fromStepper}</PrivacyButton>
          </p>
        )}
      </div>
    </>
  );
}

/**
 * Focuses the element when `value` changes, but not at first: a screen reader then reads the new content.
 * Before the visitor has interacted with the page, a change only restores progress: no scrolling.
 */
function useFocusOnChange<Target extends HTMLElement>(value: unknown): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    const element = target.current;
    if (!element || !navigator.userActivation.hasBeenActive) return;
    element.focus({ preventScroll: true });
    // An element taller than the screen is shown from its top.
    const isTall = element.getBoundingClientRect().height > window.innerHeight;
    element.scrollIntoView({ block: isTall ? 'start' : 'nearest' });
  }, [value]);
  return target;
}

function ProgressItem({ step, index }: { step: RegistrationStep; index: number }) {
  const active = useAppSelector(selectActiveStep) === index;
  const completed = useAppSelector((state) => selectStepCompleted(state, index));
  const state = active ? 'active' : completed ? 'completed' : 'open';
  return (
    <li
      className={`step-progress__item step-progress__item--${state}`}
      aria-current={active ? 'step' : undefined}
    >
      <span className="step-progress__marker" aria-hidden="true">
        {!completed && index + 1}
      </span>
      <span>
        {step.label}
        {completed && <span className="visually-hidden"> ({registrationCopy.completedStep})</span>}
      </span>
    </li>
  );
}

/** The heading of a step, counted from 0. It is shown at once, before the step's form has loaded. */
function StepHeading({ ref, step }: { ref: RefObject<HTMLHeadingElement | null>; step: number }) {
  return (
    <h3 ref={ref} className={`step-heading step-heading--${step + 1}`} tabIndex={-1}>
      <span>{registrationCopy.stepOf(step + 1, registrationSteps.length)}</span>{' '}
      <span className="visually-hidden">{registrationSteps[step]?.label}</span>
    </h3>
  );
}
