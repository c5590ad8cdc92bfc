package local

import "strconv"

const port = "5432" // only part of the socket's file name: TCP is never listened on

// fixed holds the settings of every private server: one small machine that also runs the application.
var fixed = [][2]string{
	{"listen_addresses", ""},
	{"port", port},
	{"unix_socket_permissions", "0700"},
	{"shared_buffers", "128MB"},
	{"random_page_cost", "1.1"},              // solid-state storage
	{"jit", "off"},                           // compiling costs more than these short queries take
	{"max_parallel_workers_per_gather", "0"}, // the processors are the application's too
	{"synchronize_seqscans", "off"},          // the same query gives the same order
	{"wal_level", "minimal"},                 // no replica reads this server
	{"max_wal_senders", "0"},                 // required by wal_level=minimal
	{"max_wal_size", "1GB"},
	{"checkpoint_timeout", "15min"},
	{"timezone", "UTC"},
	{"log_timezone", "UTC"},
	{"logging_collector", "off"}, // standard error is server.log already
	{"log_destination", "stderr"},
	{"log_min_messages", "warning"},
	{"log_checkpoints", "off"},
}

// settings are the server's command-line arguments, which win over every configuration file.
func settings(o Options, socket string) []string {
	durable := "off"
	if o.Durable {
		durable = "on"
	}
	varying := [][2]string{
		{"unix_socket_directories", socket},
		{"max_connections", strconv.Itoa(o.MaxConnections)},
		{"fsync", durable},
		{"synchronous_commit", durable},
		{"full_page_writes", durable},
	}
	var args []string
	for _, list := range [][][2]string{fixed, varying} {
		for _, s := range list {
			args = append(args, "-c", s[0]+"="+s[1])
		}
	}
	return args
}
