import type { Result } from '@switchboard/management';
import { createContext, useContext } from 'react';

export type Project = Result<'listOwnProjects'>['projects'][number];
export type Company = Result<'getMe'>['companies'][number];

/** The project of the address, and the person who looks at it. */
export interface Place {
  project: Project;
  company: Company;
  me: { sub: string; name: string | null };
  /** Returns the path of a page of this project. */
  pathOf(page: string): string;
  /** Whether the person's role has the permission. */
  may(permission: string): boolean;
}

const PlaceContext = createContext<Place | undefined>(undefined);
export const PlaceProvider = PlaceContext.Provider;

/** Returns the project of the address. */
export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === undefined) throw new Error('usePlace is used outside a project');
  return place;
}
