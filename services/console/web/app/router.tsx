import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Failed } from '../components/state.tsx';
import { ProjectFrame } from '../frame/project-frame.tsx';
import { Missing, SignedOutHere, StartHere } from '../frame/start-here.tsx';
import { OPERATOR, operatorPages } from '../operator/pages.ts';
import { pages } from './registry.ts';
import { SIGNED_OUT } from './session.ts';

const PROJECT = '/projects/$projectId';

/** Creates the router of all registered pages. */
export function createConsoleRouter() {
  const root = createRootRoute({ notFoundComponent: Missing });
  const start = createRoute({ getParentRoute: () => root, path: '/', component: StartHere });
  const signedOut = createRoute({
    getParentRoute: () => root,
    path: SIGNED_OUT,
    component: SignedOutHere,
  });
  const project = createRoute({ getParentRoute: () => root, path: PROJECT, component: ProjectFrame });
  const children = pages.map((page) =>
    createRoute({
      getParentRoute: () => project,
      path: page.path,
      validateSearch: (raw: Record<string, unknown>) => raw,
      component: lazyRouteComponent(page.load, 'Page'),
    }),
  );
  const operator = createRoute({
    getParentRoute: () => root,
    path: OPERATOR,
    component: lazyRouteComponent(() => import('../operator/frame.tsx'), 'OperatorFrame'),
  });
  const ofOperator = operatorPages.map((page) =>
    createRoute({
      getParentRoute: () => operator,
      path: page.path,
      validateSearch: (raw: Record<string, unknown>) => raw,
      component: lazyRouteComponent(page.load, 'Page'),
    }),
  );
  const routeTree = root.addChildren([
    start,
    signedOut,
    project.addChildren(children),
    operator.addChildren(ofOperator),
  ]);
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: false,
    defaultErrorComponent: ({ error, reset }) => (
      <Failed error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
    ),
  });
}
