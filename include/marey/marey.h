/* marey.h - all of marey, in the order in which the stages build on each other. */
#ifndef MAREY_MAREY_H
#define MAREY_MAREY_H

#include <marey/base.h>

#include <marey/shard.h>

#include <marey/motion.h>

#include <marey/demo.h>

#include <marey/io.h>

#include <marey/feature.h>

#include <marey/grid.h>

#include <marey/align.h>

#include <marey/blend.h>

#include <marey/repair.h>

#include <marey/retarget.h>

#include <marey/match.h>

#include <marey/example.h>

#include <marey/param.h>

#include <marey/graph.h>

#include <marey/cluster.h>

#include <marey/request.h>

#include <marey/control.h>

#include <marey/matching.h>

#include <marey/puppet.h>

#include <marey/library.h>

#include <marey/history.h>

#include <marey/kept.h>

#include <marey/condition.h>

#include <marey/index.h>

#include <marey/picture.h>

#endif
