// Which organisation calls are made in, for people of several: kept in the address as `org`, so that links mean the same
// for everybody.

class Organisation {
  id = $state<string | null>(null);
}

export const organisation = new Organisation();
