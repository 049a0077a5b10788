import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { registrationCopy } from '#shared/content/registration.ts';

type LoadStep = () => Promise<{ default: ComponentType }>;

interface LazyStepState {
  Step: ComponentType;
  failed: boolean;
}

/** A step that loads when it is shown. When it cannot be loaded, the visitor may try again. */
export class LazyStep extends Component<{ load: LoadStep }, LazyStepState> {
  override state: LazyStepState = { Step: lazy(this.props.load), failed: false };

  static getDerivedStateFromError(): Partial<LazyStepState> {
    return { failed: true };
  }

  retry = () => {
    this.setState({ Step: lazy(this.props.load), failed: false });
  };

  override render(): ReactNode {
    const { Step, failed } = this.state;
    if (failed) return <LoadFailed onRetry={this.retry} />;
    return (
      <Suspense fallback={<p role="status">{registrationCopy.loading}</p>}>
        <Step />
      </Suspense>
    );
  }
}

function LoadFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert">
      <p>{registrationCopy.loadFailed}</p>
      <button type="button" className="button" onClick={onRetry}>
        {registrationCopy.retry}
      </button>
    </div>
  );
}
