import { Provider } from 'react-redux';
import { Page } from './page.tsx';
import type { AppStore, RootState } from './store/store.ts';

interface AppProps {
  store: AppStore;
  /** The state the server rendered from: hydration reads it until it is done, whatever happens meanwhile. */
  serverState: RootState;
}

/** The application: what the server renders and the browser hydrates. */
export function App({ store, serverState }: AppProps) {
  return (
    <Provider store={store} serverState={serverState}>
      <Page />
    </Provider>
  );
}
