create table example (id integer primary key);
