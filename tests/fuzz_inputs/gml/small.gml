graph [ directed 1 Network "n" Source "s"
  node [ id 0 label "A" Latitude 50.1 Longitude 8.5 Internal 1 ]
  node [ id 1 label "B" Latitude 51 Longitude 0 hyperedge 0 ]
  edge [ source 0 target 1 LinkSpeed "10" LinkSpeedUnits "G" ]
  edge [ source 1 target 0 latency_ms 4 bandwidth "1 Gbps" distance 10 ]
]
